import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { FLAGS } from '../../packages/testing/src/structures.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
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
const STRICT = {
  name: 'Administrators',
  group: 'admins',
  rules: { userVerification: 'required', backupEligible: 'refused' },
} as const;
const RENAMED = { ...STRICT, name: 'Directors' };
const OTHERS = { ...STRICT, group: 'others' };
const UNVERIFIED = { flags: (flags: number) => flags & ~FLAGS.UV };

/** What may change while ceremonies of a user are under way. */
interface Changes {
  group(method: string, path?: string, value?: unknown): Promise<void>;
  setProfiles(
    profiles: readonly (typeof STRICT | typeof RENAMED | typeof OTHERS)[],
  ): Promise<unknown>;
}

describe.each(DATABASES)('the groups of a directory as profiles, on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on, options: { scim: true } });
  });
  afterAll(() => server.stop());

  it('a change of a directory’s groups evaluates the keys of their members again', async () => {
    const { tenant, domain, newUser } = await policyPlace(server, { profiles: [HARD] });
    const directory = await ScimClient.start(server.url, { tenant, domain });
    const value = await directory.created({ userName: 'anna' });
    const anna = newUser({ backupEligible: true });
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

  it.each<[string, (change: Changes) => Promise<unknown>, boolean]>([
    ['its group is deleted', ({ group }) => group('DELETE'), false],
    ['its group is renamed', ({ group }) => group('PATCH', 'displayName', 'former'), false],
    ['its user leaves the group', ({ group }) => group('PATCH', 'members', []), false],
    ['its profile is deleted', ({ setProfiles }) => setProfiles([]), false],
    ['its profile is for another group', ({ setProfiles }) => setProfiles([OTHERS]), false],
    ['its profile is renamed', ({ setProfiles }) => setProfiles([RENAMED]), true],
  ])(
    'a registration is judged by what holds at its end, a sign-in by what held at its beginning: %s',
    async (_, change, isStrictAfter) => {
      const { tenant, domain, newUser, setPolicy } = await policyPlace(server, {
        profiles: [STRICT],
      });
      const directory = await ScimClient.start(server.url, { tenant, domain });
      const members = [{ value: await directory.created({ userName: 'bert' }) }];
      const { body } = await directory.createGroup({ displayName: 'admins', members });
      const group = async (method: string, path?: string, value?: unknown) => {
        const id = String(body['id']);
        const { status } = path
          ? await directory.patchGroup(id, { op: 'replace', path, value })
          : await directory.call(method, `/Groups/${id}`);
        expect(status).toBe(204);
      };
      const bert = newUser();
      expect((await bert.register('bert')).status).toBe(200);
      const other = newUser({ backupEligible: true });
      const registration = await other.beginRegistration('bert');
      const signIn = await bert.beginAuthentication('bert');
      await change({ group, setProfiles: (profiles) => setPolicy({ profiles }) });
      const registered = await other.completeRegistration(other.create(registration));
      const earlier = await bert.completeAuthentication(bert.assert(signIn, UNVERIFIED));
      const next = await bert.signIn('bert', UNVERIFIED);
      expectRefusal(earlier, 'E0031R');
      for (const answer of [registered, next]) {
        if (isStrictAfter) expectRefusal(answer, 'E0031R');
        else expect(answer.status).toBe(200);
      }
    },
  );

  it.each([
    ['first', 0],
    ['second', 1],
  ] as const)(
    'groups and users of the same names and external IDs are others in the %s of two tenants',
    async (which, changed) => {
      const places = await Promise.all(
        ['alpha', 'beta'].map(async (name) => {
          const place = { tenant: `${name}-${which}`, domain: `${name}-${which}.example` };
          await server.addRelyingParty(place.tenant, {
            domain: place.domain,
            policy: { profiles: [HARD] },
          });
          const directory = await ScimClient.start(server.url, place);
          const user = await directory.created({ userName: 'cora', externalId: 'e-1' });
          const cora = new FidoClient(server.url, {
            relyingParty: place.domain,
            authenticator: new SoftAuthenticator({ backupEligible: true }),
          });
          expect((await cora.register('cora')).status).toBe(200);
          const made = await directory.createGroup({ displayName: 'admins', externalId: 'g-1' });
          return { directory, user, cora, group: String(made.body['id']) };
        }),
      );
      const [own, foreign] = [places[changed], places[1 - changed]];
      if (!own || !foreign) throw new Error('There are two places.');
      const statuses = async () => {
        await evaluateKeys(server);
        const answers = [await own.cora.signIn('cora'), await foreign.cora.signIn('cora')];
        return answers.map(({ status }) => status);
      };
      const join = (user: string) => ({ op: 'add', path: 'members', value: [{ value: user }] });
      // Neither the group of the other tenant nor its user is found here.
      expect((await own.directory.patchGroup(foreign.group, join(own.user))).status).toBe(404);
      const refused = await own.directory.patchGroup(own.group, join(foreign.user));
      expect(refused.status).toBeGreaterThanOrEqual(400);
      expect(await statuses()).toEqual([200, 200]);
      expect((await own.directory.patchGroup(own.group, join(own.user))).status).toBe(204);
      expect(await statuses()).toEqual([403, 200]);
      expect((await own.directory.call('DELETE', `/Groups/${foreign.group}`)).status).toBe(404);
      expect((await foreign.directory.call('DELETE', `/Groups/${foreign.group}`)).status).toBe(204);
      expect(await statuses()).toEqual([403, 200]);
      expect((await own.directory.call('DELETE', `/Users/${own.user}`)).status).toBe(204);
      expect((await foreign.cora.signIn('cora')).status).toBe(200);
    },
  );
});
