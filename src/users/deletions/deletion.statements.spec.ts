import { tableOf } from '../../platform/database/entities/table.js';
import { Attestation } from '../attestations/attestation.entity.js';
import { Credential } from '../credentials/credential.entity.js';
import { User } from '../user.entity.js';
import { DeletedKey, Deletion } from './deletion.entity.js';

describe('the snapshot of a deleted user', () => {
  it('a deleted user’s snapshot contains every column of a key', () => {
    const kept = tableOf(DeletedKey).names;
    expect(kept).toEqual(expect.arrayContaining([...tableOf(Credential).names]));
  });

  it('a deleted user’s snapshot contains every column of an attestation', () => {
    const kept = tableOf(DeletedKey).names;
    expect(kept).toEqual(expect.arrayContaining([...tableOf(Attestation).names]));
  });

  it('a deleted user’s snapshot contains every column of a user', () => {
    const kept = tableOf(Deletion).names;
    expect(kept).toEqual(expect.arrayContaining([...tableOf(User).names]));
  });
});
