import { getMetadataArgsStorage } from 'typeorm';
import { Attestation } from '../attestations/attestation.entity.js';
import { Credential, CredentialColumns } from '../credentials/credential.entity.js';
import { User } from '../user.entity.js';
import { OF_KEY, OF_USER, PROOF } from './deletion.statements.js';

const columnsOf = (...classes: (abstract new () => object)[]) =>
  getMetadataArgsStorage()
    .filterColumns([...classes])
    .map(({ propertyName }) => propertyName)
    .sort();

describe('what comes back of a deletion', () => {
  it('is every column of a key', () => {
    expect([...OF_KEY].sort()).toEqual(columnsOf(Credential, CredentialColumns));
  });

  it('is every column of what its registration proved', () => {
    const own = ['id', 'tenantId', 'relyingPartyId'];
    expect([...own, ...PROOF].sort()).toEqual(columnsOf(Attestation));
  });

  it('is every column of a user', () => {
    const own = ['id', 'tenantId', 'relyingPartyId', 'username', 'foldedName'];
    expect([...own, ...OF_USER].sort()).toEqual(columnsOf(User));
  });
});
