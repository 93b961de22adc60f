import type { RelyingPartyPolicy } from '../../src/tenancy/policy/policy.js';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { FLAGS } from '../../packages/testing/src/structures.js';
import { issueKey } from '../support/application-keys.js';
import { Backend } from '../support/backend.js';
import { DATABASES } from '../support/databases.js';
import { policyPlace, type PolicyPlace } from '../support/policy-place.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

const UNVERIFIED = { flags: (flags: number) => flags & ~FLAGS.UV };
const STRICT = {
  name: 'Administrators',
  group: 'admins',
  rules: { userVerification: 'required', backupEligible: 'refused' },
} as const;
const LAX = {
  name: 'Staff',
  group: 'staff',
  rules: { userVerification: 'discouraged', backupEligible: 'allowed' },
} as const;

describe.each(DATABASES)('profiles of a policy, on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on });
  });
  afterAll(() => server.stop());

  const place = (policy: RelyingPartyPolicy) => policyPlace(server, policy);

  describe.each([
    ['the strict profile first', [STRICT, LAX], true],
    ['the lax profile first', [LAX, STRICT], false],
  ] as const)('with %s', (_, profiles, isStrict) => {
    let at: PolicyPlace;
    beforeAll(async () => {
      at = await place({ profiles });
      for (const [name, groups] of [
        ['anna', ['admins']],
        ['ben', ['staff']],
        ['both', ['staff', 'admins']],
        ['carl', ['others']],
      ] as const) {
        expect((await at.newUser().register(name)).status).toBe(200);
        await at.setGroups(name, groups);
      }
    });

    it.each([
      ['anna', true],
      ['ben', false],
      ['both', isStrict],
      ['carl', false],
    ])('a sign-in of %s is judged by the first profile of its user', async (name, isRefused) => {
      const client = await at.registered(`${name}-signs-in`, at.groupsOf(name));
      const unverified = await client.signIn(`${name}-signs-in`, UNVERIFIED);
      if (isRefused) expectRefusal(unverified, 'E0031R');
      else expect(unverified.status).toBe(200);
      expect((await client.signIn(`${name}-signs-in`)).status).toBe(200);
    });

    it.each([
      ['anna', true],
      ['ben', false],
      ['both', isStrict],
      ['carl', true],
    ])('a sign-in of %s without a name is judged by the same profile', async (name, isRefused) => {
      const client = await at.registered(`${name}-nameless`, at.groupsOf(name));
      const begun = await client.beginNameless();
      const answer = await client.completeAuthentication(client.assert(begun, UNVERIFIED));
      if (isRefused) expectRefusal(answer, 'E0031R');
      else expect(answer.status).toBe(200);
    });

    it.each([
      ['anna', true],
      ['ben', false],
      ['both', isStrict],
      ['carl', false],
    ])('a registration for %s is judged by the first profile', async (name, isRefused) => {
      const client = at.newUser({ backupEligible: true });
      const answer = await client.register(name);
      if (isRefused) expectRefusal(answer, 'E0031R');
      else expect(answer.status).toBe(200);
    });

    it('sign-in options and the refusal of a wrong signature are the same for all users', async () => {
      const shown = new Set<unknown>();
      const codes = new Set<unknown>();
      for (const name of ['anna', 'ben', 'both', 'carl']) {
        const client = await at.registered(`${name}-options`, at.groupsOf(name));
        const begun = await client.beginAuthentication(`${name}-options`);
        const { challenge, allowCredentials, ...options } = begun.body;
        shown.add(JSON.stringify(options));
        const forged = client.assert(begun, {
          ...UNVERIFIED,
          signature: (bytes) => bytes.fill(1, bytes.length - 4),
        });
        codes.add((await client.completeAuthentication(forged)).body['errorCode']);
        expect([challenge, allowCredentials]).not.toContain(undefined);
      }
      expect([...codes]).toEqual(['E0032R']);
      expect(shown.size).toBe(1);
    });

    it('options of a registration without authority are the same for all users', async () => {
      const shown = new Set<unknown>();
      for (const name of ['anna', 'ben', 'both', 'carl', 'nobody']) {
        const { body } = await at.newUser().beginRegistration(name);
        const { authenticatorSelection, attestation, extensions, pubKeyCredParams } = body;
        shown.add(
          JSON.stringify([authenticatorSelection, attestation, extensions, pubKeyCredParams]),
        );
      }
      expect(shown.size).toBe(1);
    });
  });

  it.each([
    [{}, 'preferred'],
    [{ userVerification: 'discouraged' }, 'preferred'],
    [{ userVerification: 'preferred' }, 'preferred'],
    [{ userVerification: 'required' }, 'required'],
  ] as const)(
    'sign-in options ask for verification if a profile requires it: policy %j → %s',
    async (policy, shown) => {
      const at = await place({ ...policy, profiles: [STRICT] });
      const client = await at.registered('dora', []);
      const asked = { userVerification: 'discouraged' };
      const { body } = await client.beginAuthentication('dora', asked);
      expect(body['userVerification']).toBe(shown);
      expect((await client.beginNameless()).body['userVerification']).toBe(
        'userVerification' in policy ? shown : 'required',
      );
    },
  );

  it('a weaker profile lets its users sign in without the verification that the policy requires', async () => {
    const at = await place({ userVerification: 'required', profiles: [LAX] });
    const staff = await at.registered('emil', ['staff']);
    expect((await staff.signIn('emil', UNVERIFIED)).status).toBe(200);
    const other = await at.registered('fred', []);
    expectRefusal(await other.signIn('fred', UNVERIFIED), 'E0031R');
    const nameless = await other.beginNameless();
    const assertion = other.assert(nameless, UNVERIFIED);
    expectRefusal(await other.completeAuthentication(assertion), 'E0031R');
  });

  it('a profile does not weaken --verify', async () => {
    const strict = await TestServer.start({ options: { verify: true } });
    const at = await policyPlace(strict, { profiles: [LAX] });
    const client = await at.registered('gina', ['staff']);
    expectRefusal(await client.signIn('gina', UNVERIFIED), 'E0031R');
    await strict.stop();
  });

  it('options of a registration by an application follow the profile of the user', async () => {
    const rules = {
      ...STRICT.rules,
      residentKey: 'required',
      attestation: 'direct',
      algorithms: ['es256'],
      minPinLength: 6,
      maxCredentials: 1,
    } as const;
    const at = await place({ profiles: [{ ...STRICT, rules }] });
    const scopes = ['ceremonies', 'groups'];
    const { secret } = await issueKey(server.url, { tenant: at.tenant, scopes });
    const backend = () =>
      new Backend(server.url, secret, { relyingParty: at.domain, origin: at.origin });
    const expected = {
      attestation: 'direct',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      extensions: { minPinLength: true },
      pubKeyCredParams: [{ alg: -7 }],
    };
    const ofNew = await backend().beginRegistration('hana', { groups: ['admins'] });
    expect(ofNew.body).toMatchObject(expected);
    expect((await backend().beginRegistration('ivo')).body).toMatchObject({
      attestation: 'none',
      authenticatorSelection: { residentKey: 'preferred' },
    });
    await at.registered('hana', ['admins']);
    expectRefusal(await backend().beginRegistration('hana'), 'E0043R');
  });

  it('a registration that creates a user with groups is judged by their profile', async () => {
    const at = await place({ profiles: [STRICT] });
    const scopes = ['ceremonies', 'groups'];
    const { secret } = await issueKey(server.url, { tenant: at.tenant, scopes });
    const register = async (username: string, groups: readonly string[]) => {
      const backend = new Backend(server.url, secret, {
        relyingParty: at.domain,
        origin: at.origin,
        authenticator: new SoftAuthenticator({ backupEligible: true }),
      });
      return backend.register(username, { groups });
    };
    expectRefusal(await register('jana', ['admins']), 'E0031R');
    expect((await register('jana', ['others'])).status).toBe(200);
  });

  it('a registration is judged by the groups and profiles at its result call', async () => {
    const at = await place({ profiles: [LAX] });
    await at.registered('kurt', []);
    const client = at.newUser({ backupEligible: true });
    const begun = await client.beginRegistration('kurt');
    await at.setGroups('kurt', ['admins']);
    await at.setPolicy({ profiles: [STRICT] });
    expectRefusal(await client.completeRegistration(client.create(begun)), 'E0031R');
  });

  it('a sign-in that began before its user got a group is judged by the earlier groups', async () => {
    const at = await place({ profiles: [STRICT] });
    const client = await at.registered('lena', []);
    const begun = await client.beginAuthentication('lena');
    await at.setGroups('lena', ['admins']);
    const answer = await client.completeAuthentication(client.assert(begun, UNVERIFIED));
    expect(answer.status).toBe(200);
    expectRefusal(await client.signIn('lena', UNVERIFIED), 'E0031R');
  });

  it('a sign-in with a key of the predecessor is judged by the profiles of the successor', async () => {
    const old = await place({});
    const next = await place({ profiles: [STRICT] });
    const olga = await old.registered('olga', ['admins']);
    const paul = await old.registered('paul', []);
    await next.takeOver(old);
    const at = (client: typeof olga) => next.newUser({}, client.authenticator);
    expectRefusal(await at(olga).signIn('olga', UNVERIFIED), 'E0031R');
    expect((await at(olga).signIn('olga')).status).toBe(200);
    expect((await at(paul).signIn('paul', UNVERIFIED)).status).toBe(200);
  });

  it('the counter of a key is judged by the profile of its user', async () => {
    const rules = { counter: 'disable' } as const;
    const at = await place({ counter: 'warn', profiles: [{ ...STRICT, rules }] });
    for (const [name, groups] of [
      ['mia', ['admins']],
      ['nina', []],
    ] as const) {
      const client = await at.registered(name, groups);
      expect((await client.signIn(name, { signCount: 5 })).status).toBe(200);
      const lower = await client.signIn(name, { signCount: 4 });
      if (groups.length === 0) expect(lower.status).toBe(200);
      else expectRefusal(lower, 'E0035R');
    }
    const disabled = await rowsOf<{ username: Buffer }>(
      server,
      'SELECT u.username FROM credentials c JOIN users u ON u.id = c.user_id WHERE c.enabled = 0',
    );
    expect(disabled.map(({ username }) => username.toString())).toEqual(['mia']);
  });
});
