import { RefusalLog } from '../../src/fido/refusals/refusal-log.js';
import { FLAGS } from '../../packages/testing/src/structures.js';
import { DATABASES } from '../support/databases.js';
import { policyPlace, type PolicyPlace } from '../support/policy-place.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { TestServer } from '../support/test-server.js';
import { HTML } from '../support/client.js';

const unisolated = (html: string): string => html.replaceAll(/<\/?bdi>/g, '');
const ATTESTED = {
  name: 'Administrators',
  group: 'admins',
  rules: { formats: ['packed'], onFinding: 'disable', userVerification: 'required' },
} as const;
const STAFF = { name: 'Staff', group: 'staff', rules: {} } as const;

describe.each(DATABASES)('what pages and reports tell about profiles, on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on });
  });
  afterAll(() => server.stop());

  const tryPolicy = async ({ admin, domain }: PolicyPlace, policy: object) => {
    const answer = await admin.post('/userapi/policy/try', { relyingParty: domain, policy });
    expect(answer.status).toBe(200);
    return answer.body as Record<'keys' | 'registrations' | 'users', Record<string, unknown>>;
  };

  it.each([
    ['Administrators before Staff', [ATTESTED, STAFF], 2],
    ['Staff before Administrators', [STAFF, ATTESTED], 1],
  ] as const)(
    'a trial answers what a profile would do to the keys of its users: %s',
    async (_, profiles, refused) => {
      const at = await policyPlace(server, {});
      await at.registered('anna', ['admins']);
      await at.registered('ben', ['admins', 'staff']);
      await at.registered('carl', ['staff']);
      await at.registered('dora', []);
      const attested = await at.newUser({ attestation: 'packed' }).register('emil', {
        attestation: 'direct',
      });
      expect(attested.status).toBe(200);
      await at.setGroups('emil', ['admins']);
      const before = await server.snapshot();
      const { keys, registrations, users } = await tryPolicy(at, { profiles });
      expect(keys).toMatchObject({ total: 5, refuse: refused, pass: 5 - refused });
      expect(keys['rules']).toMatchObject([
        { rule: 'formats', profile: 'Administrators', outcome: 'refuse', count: refused },
      ]);
      expect(registrations).toMatchObject({ total: 5, refuse: refused });
      expect(users).toMatchObject({ total: 5, withoutKey: refused });
      expect(await server.snapshot()).toBe(before);
    },
  );

  it('a trial counts rules of the policy and of a profile separately', async () => {
    const at = await policyPlace(server, {});
    await at.registered('fred', ['admins']);
    await at.registered('gina', []);
    const { keys } = await tryPolicy(at, { formats: ['tpm'], profiles: [ATTESTED] });
    const rules = keys['rules'] as readonly { profile?: string }[];
    expect(rules).toMatchObject([{ count: 1 }, { count: 1 }]);
    expect(rules.map(({ profile }) => profile ?? '').sort()).toEqual(['', 'Administrators']);
  });

  it('the page of a user names the profile that applies', async () => {
    const at = await policyPlace(server, { profiles: [ATTESTED, STAFF] });
    await at.registered('hana', ['staff', 'admins']);
    await at.registered('ivo', ['others']);
    const page = async (name: string) =>
      unisolated((await at.admin.get(`/userapi/user?name=${name}&rp=${at.domain}`, HTML)).text);
    expect(await page('hana')).toContain('The profile <strong>Administrators</strong> applies');
    expect(await page('ivo')).not.toContain('The profile <strong>');
  });

  it('Explain names the profile of a user whose sign-in broke its rules', async () => {
    const at = await policyPlace(server, { profiles: [ATTESTED] });
    const jana = await at.registered('jana', ['admins']);
    const unverified = { flags: (flags: number) => flags & ~FLAGS.UV };
    const signIn = await jana.signIn('jana', unverified);
    expectRefusal(signIn, 'E0031R');
    const registration = await at.newUser().register('jana');
    expectRefusal(registration, 'E0038R');
    await server.get(RefusalLog).flush();
    for (const refused of [signIn, registration]) {
      const request = refused.headers.get('x-request-id');
      const { text } = await at.admin.get(`/userapi/explain?request=${request}`, HTML);
      expect(unisolated(text)).toContain('The profile <strong>Administrators</strong> applies');
    }
  });

  it('the page of a relying party describes each profile in words', async () => {
    const at = await policyPlace(server, { profiles: [ATTESTED, STAFF] });
    const { text } = await at.admin.get(`/tenants/${at.tenant}/${at.domain}`, HTML);
    const words = unisolated(text);
    expect(words).toContain('Other rules apply to: Administrators, Staff.');
    expect(words).toMatch(
      /Administrators \(group admins\): User verification – enforced: required/,
    );
    expect(words).toContain('Staff (group staff): as the policy says');
    expect(words).toContain('A profile may be weaker than the policy.');
  });

  it.each([
    ['Administrators before Staff', [ATTESTED, STAFF], [2, 1]],
    ['Staff before Administrators', [STAFF, ATTESTED], [2, 1]],
  ] as const)('adoption counts each user in one profile: %s', async (_, profiles, totals) => {
    const at = await policyPlace(server, { profiles });
    const kurt = await at.registered('kurt', ['admins', 'staff']);
    await at.registered('lena', ['admins']);
    await at.registered('mia', ['staff']);
    await at.registered('nina', []);
    expect((await kurt.signIn('kurt')).status).toBe(200);
    const { body } = await at.admin.get(`/userapi/adoption?relyingParty=${at.domain}`);
    expect(body['profiles']).toEqual(
      profiles.map(({ name, group }, n) => ({
        name,
        group,
        total: totals[n],
        withKey: totals[n],
        active: n === 0 ? 1 : 0,
        complete: true,
      })),
    );
    const { text } = await at.admin.get(`/adoption?rp=${at.domain}`, HTML);
    expect(text).toContain('Users by profile');
    const plain = await policyPlace(server, {});
    const none = await plain.admin.get(`/userapi/adoption?relyingParty=${plain.domain}`);
    expect(none.body).not.toHaveProperty('profiles');
  });

  it('adoption at the old domain of a move counts users by their groups at the new one', async () => {
    const profiles = [{ ...ATTESTED, rules: {} }, STAFF];
    const old = await policyPlace(server, { profiles });
    const next = await policyPlace(server, {});
    const olga = await old.registered('olga', ['admins']);
    await old.registered('paul', ['admins']);
    await old.registered('quin', ['staff']);
    await next.takeOver(old);
    await old.setPolicy({ registration: 'ticket', profiles });
    const moved = next.newUser({}, olga.authenticator);
    expect((await moved.upgrade(await moved.signIn('olga'))).status).toBe(200);
    const totals = async () => {
      const { body } = await old.admin.get(`/userapi/adoption?relyingParty=${old.domain}`);
      const views = body['profiles'] as readonly Record<'total' | 'withKey' | 'active', number>[];
      return views.map(({ total, withKey, active }) => [total, withKey, active]);
    };
    expect(await totals()).toEqual([
      [1, 1, 0],
      [1, 1, 0],
    ]);
    await next.setGroups('olga', ['staff']);
    expect(await totals()).toEqual([
      [1, 1, 0],
      [2, 2, 1],
    ]);
    await next.setGroups('olga', ['staff', 'admins']);
    expect(await totals()).toEqual([
      [2, 2, 1],
      [1, 1, 0],
    ]);
    await next.change({ predecessor: null });
    await old.setGroups('olga', ['staff']);
    expect(await totals()).toEqual([
      [1, 1, 0],
      [2, 2, 1],
    ]);
  });
});
