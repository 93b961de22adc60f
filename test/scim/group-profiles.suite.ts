import { DATABASES } from '../support/databases.js';
import { evaluateKeys } from '../support/key-evaluation.js';
import { policyPlace } from '../support/policy-place.js';
import { NO_ACCOUNT, expectRefusal } from '../support/refusals/refusal.js';
import { ScimClient } from '../support/scim-client.js';
import { TestServer } from '../support/test-server.js';

const HARD = {
  name: 'Administrators',
  group: 'admins',
  rules: { backupEligible: 'refused', onFinding: 'disable' },
} as const;

describe.each(DATABASES)('the groups of a directory as profiles, on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on, options: { scim: true } });
  });
  afterAll(() => server.stop());

  it('a change of a directory’s groups evaluates the keys of their members again', async () => {
    const { tenant, domain, person } = await policyPlace(server, { profiles: [HARD] });
    const directory = await ScimClient.start(server.url, { tenant, domain });
    const value = await directory.created({ userName: 'anna' });
    const anna = person({ backupEligible: true });
    expect((await anna.register('anna')).status).toBe(200);
    const members = [{ value }];
    const { body } = await directory.createGroup({ displayName: 'admins', members });
    const id = String(body['id']);
    await evaluateKeys(server);
    expectRefusal(await anna.signIn('anna'), NO_ACCOUNT);
    const signInAfter = async (...operations: Parameters<ScimClient['patchGroup']>[1][]) => {
      expect((await directory.patchGroup(id, ...operations)).status).toBe(204);
      await evaluateKeys(server);
      return (await anna.signIn('anna')).status;
    };
    const rename = (name: string) => ({ op: 'replace', path: 'displayName', value: name });
    expect(await signInAfter(rename('former admins'))).toBe(200);
    expect(await signInAfter(rename('admins'))).toBe(403);
    expect(await signInAfter({ op: 'remove', path: `members[value eq "${value}"]` })).toBe(200);
    expect(await signInAfter({ op: 'add', path: 'members', value: members })).toBe(403);
    expect((await directory.call('DELETE', `/Groups/${id}`)).status).toBe(204);
    await evaluateKeys(server);
    expect((await anna.signIn('anna')).status).toBe(200);
  });
});
