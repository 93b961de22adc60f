import { randomBytes } from 'node:crypto';
import { Attestations } from '../../src/users/attestations/attestations.js';
import { aaguidBytes } from '../../src/webauthn/aaguid.js';
import { createAuthority } from '../../packages/testing/src/certificate-writer.js';
import { attestationRoot, createAttester } from '../../packages/testing/src/attester.js';
import { writeBlob } from '../../packages/testing/src/blob-writer.js';
import type { SoftAuthenticatorOptions } from '../../packages/testing/src/soft-authenticator.js';
import { FindingsJob } from '../../src/trust/findings/findings-job.js';
import { Database } from '../../src/platform/database/database.js';
import { bearer } from '../support/application-keys.js';
import { sendForm } from '../support/console-form.js';
import { evaluateKeys } from '../support/key-evaluation.js';
import { MDS_ROOTS, modelEntry, uploadBlob } from '../support/metadata.js';
import { policyPlace } from '../support/policy-place.js';
import { rowsOf } from '../support/rows.js';
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

  it('an evaluation leaves out the keys whose CA certificate is lost until it is restored', async () => {
    const { admin, registered, setPolicy } = await policyPlace(server, {});
    for (const name of ['anna', 'ben']) await registered(name, [], keyOfNewAuthority());
    await registered('cleo', []);
    await setPolicy({ algorithms: ['EdDSA'] });
    const findings = async () => (await admin.get('/userapi/findings')).body['findings'];
    await evaluateKeys(server);
    expect(await findings()).toHaveLength(3);
    const restore = await loseAuthorities();
    await setPolicy({ algorithms: ['EdDSA', 'ES256'] });
    await server.get(FindingsJob).catchUp();
    expect(await findings()).toHaveLength(2);
    expect(await findings()).toMatchObject([{ username: 'anna' }, { username: 'ben' }]);
    const lines = server.logged.filter((line) => JSON.stringify(line).includes('are missing'));
    expect(lines).toHaveLength(1);
    await restore();
    await evaluateKeys(server);
    expect(await findings()).toEqual([]);
  });

  it('a restored key whose CA certificate is lost gets its finding once it is restored', async () => {
    const { admin, domain, registered, setPolicy } = await policyPlace(server, {});
    await registered('anna', [], keyOfNewAuthority());
    const user = { name: 'anna', rp: domain };
    await sendForm(server, '/userapi/user', { action: 'delete-user', ...user, confirm: 'anna' });
    await setPolicy({ algorithms: ['EdDSA'], onFinding: 'disable' });
    await evaluateKeys(server);
    const restore = await loseAuthorities();
    const [deletion] = await rowsOf<{ id: Buffer }>(server, 'SELECT id FROM deletions');
    const id = deletion?.id.toString('base64url') ?? '';
    await sendForm(server, '/userapi/undo', { ...user, deletion: id });
    const findings = async () => (await admin.get('/userapi/findings')).body['findings'];
    expect(await findings()).toEqual([]);
    await restore();
    await evaluateKeys(server);
    expect(await findings()).toMatchObject([{ username: 'anna', enabled: false }]);
  });

  it('a key whose CA certificate is lost can be reported, and its report stays', async () => {
    const { admin, registered } = await policyPlace(server, {});
    const anna = await registered('anna', [], keyOfNewAuthority());
    const strange = await registered('anna', [], keyOfNewAuthority());
    const token = bearer(String((await anna.signIn('anna')).body['token']));
    const restore = await loseAuthorities();
    await anna.post(`/fidoapi/keys/${strange.keyId}/report`, {}, token);
    await server.get(FindingsJob).catchUp();
    const reported = [{ username: 'anna', rule: 'reported', enabled: false }];
    expect((await admin.get('/userapi/findings')).body['findings']).toMatchObject(reported);
    await restore();
  });

  /** Deletes all CA certificates, as if a dump lacked them; returns a function that restores them. */
  async function loseAuthorities() {
    const rows = await rowsOf<{ hash: Buffer; certificate: Buffer }>(
      server,
      'SELECT hash, certificate FROM attestation_authorities',
    );
    const run = (sql: string, params: Buffer[]) => server.get(Database).commit([{ sql, params }]);
    await run('DELETE FROM attestation_authorities', []);
    // Those of one user are cached.
    await server
      .get(Attestations)
      .keepAuthorities(Array.from({ length: OTHERS + 1 }, () => randomBytes(64)));
    return async () => {
      for (const { hash, certificate } of rows) {
        const sql = 'INSERT INTO attestation_authorities (hash, certificate) VALUES (?, ?)';
        await run(sql, [hash, certificate]);
      }
    };
  }

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
