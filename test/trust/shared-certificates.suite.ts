import { randomBytes } from 'node:crypto';
import { Attestations } from '../../src/users/attestations/attestations.js';
import { aaguidBytes } from '../../src/webauthn/aaguid.js';
import { createAuthority } from '../../packages/testing/src/certificate-writer.js';
import { attestationRoot, createAttester } from '../../packages/testing/src/attester.js';
import { writeBlob } from '../../packages/testing/src/blob-writer.js';
import type { SoftAuthenticatorOptions } from '../../packages/testing/src/soft-authenticator.js';
import { Database } from '../../src/platform/database/database.js';
import { evaluateKeys } from '../support/key-evaluation.js';
import { MDS_ROOTS, modelEntry, uploadBlob } from '../support/metadata.js';
import { policyPlace } from '../support/policy-place.js';
import { BY_HAND, TestServer } from '../support/test-server.js';

const MODEL = 'ca000000-0000-4000-8000-000000000001';
/** With the certificate of one user, as many as the server caches. */
const OTHERS = 999;

describe('the CA certificates that keys share, when there are more than the server caches', () => {
  let server: TestServer;
  beforeAll(async () => {
    const options = { mds: ['upload'], mdsRoots: MDS_ROOTS };
    server = await TestServer.start({ options, speed: BY_HAND });
    const entries = [modelEntry(MODEL)];
    await uploadBlob(server, writeBlob({ no: 1, nextUpdate: '2099-01-01', entries }));
  });
  afterAll(() => server.stop());

  it('an evaluation finds nothing about keys whose CA certificates are only partly cached', async () => {
    const { admin } = await twoUsers();
    await evaluateKeys(server);
    expect((await admin.get('/userapi/findings')).body['findings']).toEqual([]);
  });

  it('an export contains the proofs of keys whose CA certificates are only partly cached', async () => {
    const { admin } = await twoUsers();
    const { text } = await admin.get('/userapi/export');
    expect(text.match(/"clientDataHash":"[\w-]+"/g)).toHaveLength(2);
  });

  it('an evaluation fails, and finds nothing, while a CA certificate of a key is not stored', async () => {
    const { admin } = await twoUsers();
    const sql = 'DELETE FROM attestation_authorities';
    await server.get(Database).commit([{ sql, params: [] }]);
    await expect(evaluateKeys(server)).rejects.toThrow('A CA certificate of a key is not stored.');
    expect((await admin.get('/userapi/findings')).body['findings']).toEqual([]);
  });

  /** Two users with keys of different authorities, of which the server caches only the second one's. */
  async function twoUsers() {
    const place = await policyPlace(server, { trust: 'enforce', onFinding: 'report' });
    await place.registered('anna', [], keyOfNewAuthority());
    await place.registered('ben', [], keyOfNewAuthority());
    const others = Array.from({ length: OTHERS }, () => randomBytes(64));
    await server.get(Attestations).keepAuthorities(others);
    return place;
  }
});

/** A key whose certificate an intermediate authority issued, as stored attestations share it. */
function keyOfNewAuthority(): SoftAuthenticatorOptions {
  const authority = createAuthority('An authority', { issuer: attestationRoot() });
  const aaguid = aaguidBytes(MODEL);
  const attester = createAttester(aaguid, { issuer: authority });
  const x5c = [...attester.x5c, authority.certificate];
  return { attestation: 'packed', aaguid, attester: { ...attester, x5c } };
}
