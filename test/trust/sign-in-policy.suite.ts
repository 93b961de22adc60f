import { DataSource } from 'typeorm';
import type { RelyingPartyPolicy } from '../../src/tenancy/policy/policy.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { RefusalLog } from '../../src/fido/refusals/refusal-log.js';
import { evaluateKeys } from '../support/key-evaluation.js';
import { AdminClient } from '../support/admin-client.js';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { HTML, adminClient } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { TestServer } from '../support/test-server.js';

const DAY_MS = 86_400_000;
const BROKEN = 'The key breaks a rule of the policy: ';

describe.each(DATABASES)('a rule for sign-ins, on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on });
  });
  afterAll(() => server.stop());

  /** A new relying party with two users: a key with `packed` attestation, and one with `none`. */
  async function place(name: string) {
    const domain = `${name}.example`;
    await server.addRelyingParty('acme', { domain, policy: {} });
    const newUser = async (username: string, attestation: 'packed' | 'none') => {
      const authenticator = new SoftAuthenticator({ attestation });
      const at = { relyingParty: domain, authenticator };
      const client = new FidoClient(server.url, at);
      const register = () => client.register(username, { attestation: 'direct' });
      return { register, signIn: () => client.signIn(username) };
    };
    const anna = await newUser('anna', 'none');
    const ben = await newUser('ben', 'packed');
    for (const { register } of [anna, ben]) expect((await register()).status).toBe(200);
    const enforce = async (policy: RelyingPartyPolicy) => {
      await server.get(TenancyService).changeRelyingParty(server.call, 'acme', domain, { policy });
      await evaluateKeys(server);
    };
    const found = async () =>
      (await new AdminClient(server.url, domain).get('/userapi/findings')).body['findings'];
    return { anna, ben, newUser, enforce, found };
  }

  it('a rule for sign-ins is reported with a notice until its day, and refuses sign-ins from that day on', async () => {
    const { anna, ben, newUser, enforce, found } = await place('phased');
    const from = new Date(server.clock.now() + 3 * DAY_MS).toISOString().slice(0, 10);
    const formats = { mode: 'enforce', list: ['packed'], when: 'both', from } as const;
    await enforce({ formats });
    // The policy applies to registrations at once.
    const carl = await newUser('carl', 'none');
    expectRefusal(await carl.register(), 'E0038R');
    expect(await found()).toMatchObject([{ username: 'anna', rule: 'formats', action: 'report' }]);
    const notice = { rule: 'formats', errorCode: 'E0038R', from: new Date(from).toISOString() };
    expect(await anna.signIn()).toMatchObject({ status: 200, body: { notice } });
    expect((await ben.signIn()).body).not.toHaveProperty('notice');
    server.clock.advance(3 * DAY_MS);
    await evaluateKeys(server);
    expect(await found()).toMatchObject([{ username: 'anna', action: 'refuse-next-sign-in' }]);
    expectRefusal(await anna.signIn(), 'E0038R');
    const answer = await ben.signIn();
    expect(answer.status).toBe(200);
    expect(answer.body).not.toHaveProperty('notice');
    await enforce({});
    expect((await anna.signIn()).status).toBe(200);
  });

  it('a recorded sign-in is answered without its notice if the finding cannot be read', async () => {
    const { anna, enforce } = await place('unread');
    const from = new Date(server.clock.now() + 3 * DAY_MS).toISOString().slice(0, 10);
    await enforce({ formats: { mode: 'enforce', list: ['packed'], when: 'both', from } });
    expect((await anna.signIn()).body).toHaveProperty('notice');
    const source = server.get(DataSource);
    await source.query('ALTER TABLE findings RENAME TO elsewhere');
    try {
      const answer = await anna.signIn();
      expect(answer.status).toBe(200);
      expect(answer.body).not.toHaveProperty('notice');
    } finally {
      await source.query('ALTER TABLE elsewhere RENAME TO findings');
    }
  });

  it('a rule for sign-ins applies at once if it has no day, while rules for registrations are only reported', async () => {
    const { anna, ben, enforce, found } = await place('once');
    await enforce({ formats: { mode: 'enforce', list: ['packed'], when: 'registration' } });
    expect(await found()).toMatchObject([{ username: 'anna', action: 'report' }]);
    const answer = await anna.signIn();
    expect(answer.status).toBe(200);
    expect(answer.body).not.toHaveProperty('notice');
    await enforce({ formats: { mode: 'enforce', list: ['packed'], when: 'both' } });
    expectRefusal(await anna.signIn(), 'E0038R');
    expect((await ben.signIn()).status).toBe(200);
  });

  it('a rule for sign-ins is named by the refusal, by its event and by the page that explains it', async () => {
    const domain = 'synced.example';
    await server.addRelyingParty('acme', { domain, policy: {} });
    const newUser = () =>
      new FidoClient(server.url, {
        relyingParty: domain,
        authenticator: new SoftAuthenticator({ backupEligible: true }),
      });
    const dora = newUser();
    expect((await dora.register('dora')).status).toBe(200);
    const backupEligible = { mode: 'enforce', value: 'refused', when: 'both' } as const;
    const policy = { backupEligible };
    await server.get(TenancyService).changeRelyingParty(server.call, 'acme', domain, { policy });
    await evaluateKeys(server);
    const signIn = await dora.signIn('dora');
    expectRefusal(signIn, 'E0031R');
    expect(signIn.body).toMatchObject({
      reason: 'rule.broken',
      errorMessage: 'The key does not satisfy the rule "backupEligible" of the policy.',
    });
    const registration = await newUser().register('emil');
    expectRefusal(registration, 'E0031R');
    expect(registration.body).toMatchObject({ reason: 'rule.backupEligible' });
    await server.get(RefusalLog).flush();
    const admin = adminClient(server.url);
    for (const refused of [signIn, registration]) {
      const request = refused.headers.get('x-request-id');
      const { text } = await admin.get(`/userapi/explain?request=${request}`, HTML);
      expect(text).toContain('The key breaks a rule of the policy: Keys that can be synced');
      expect(text).not.toContain('give your PIN');
      const { body } = await admin.get(`/userapi/events?requestId=${request}`);
      expect(body['events']).toMatchObject([
        {
          detail: 'rule.broken backupEligible',
          explanation: expect.stringContaining('the rule "backupEligible" of the policy'),
        },
      ]);
    }
  });

  it('a rule for sign-ins is named by the dashboard and by the page of the user', async () => {
    const domain = 'resident.example';
    await server.addRelyingParty('acme', { domain, policy: {} });
    const client = new FidoClient(server.url, {
      relyingParty: domain,
    });
    const body = client.create(await client.beginRegistration('frida'));
    const clientExtensionResults = { credProps: { rk: false } };
    const registered = await client.completeRegistration({ ...body, clientExtensionResults });
    expect(registered.status).toBe(200);
    const residentKey = { mode: 'enforce', value: 'required', when: 'both' } as const;
    const change = { policy: { residentKey } };
    await server.get(TenancyService).changeRelyingParty(server.call, 'acme', domain, change);
    await evaluateKeys(server);
    expectRefusal(await client.signIn('frida'), 'E0007R');
    // The same code for another reason, which is counted separately.
    const malformed = { ...client.create(await client.beginRegistration('gerd')), response: 1 };
    expectRefusal(await client.completeRegistration(malformed), 'E0007R');
    await server.get(RefusalLog).flush();
    const admin = adminClient(server.url);
    const user = await admin.get(`/userapi/user?name=frida&rp=${domain}`, HTML);
    expect(user.text).toContain(`${BROKEN}Keys that work without a user name`);
    const malformedText = 'The registration response is not in the expected format.';
    // Pages of other tests have read the counts, which are kept for forty times as long as counting took.
    await eventually(async () => {
      const { text } = await admin.get('/dashboard/refusals.csv');
      expect(text).toContain(`"${BROKEN}Keys that work without a user name","E0007R","1"`);
      expect(text).toContain(`"${malformedText}","E0007R","1"`);
    });
  });

  it('refuses beside other rules that do not, and onFinding "disable" remains the severest', async () => {
    const { anna, enforce, found } = await place('several');
    const formats = { mode: 'enforce', list: ['packed'], when: 'both' } as const;
    await enforce({ algorithms: ['rs256'], formats });
    expect(await found()).toMatchObject([
      { username: expect.any(String) },
      { username: expect.any(String) },
    ]);
    expectRefusal(await anna.signIn(), 'E0038R');
    await enforce({ formats, onFinding: 'disable' });
    expect(await found()).toMatchObject([{ username: 'anna', action: 'disable', enabled: false }]);
  });

  it.each([
    ['a day without "both"', { mode: 'enforce', list: ['packed'], from: '2027-01-01' }],
    ['a day that is none', { mode: 'enforce', list: ['packed'], when: 'both', from: '2027-02-30' }],
    ['a time', { mode: 'enforce', list: ['packed'], when: 'both', from: '2027-02-01 noon' }],
    ['another word', { mode: 'enforce', list: ['packed'], when: 'sometimes' }],
    ['a member that is none', { mode: 'enforce', list: ['packed'], when: 'both', until: 1 }],
  ])('a rule for sign-ins is not stored if it has %s', async (_, formats) => {
    const path = '/userapi/policy/try';
    const body = { relyingParty: 'localhost', policy: { formats } };
    await server.addRelyingParty('acme', { domain: 'wrong.example' }).catch(() => undefined);
    const answer = await adminClient(server.url).post(path, {
      ...body,
      relyingParty: 'wrong.example',
    });
    expectRefusal(answer, 'E0045R', 400);
  });
});
