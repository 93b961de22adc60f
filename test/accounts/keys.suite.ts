import { jest } from '@jest/globals';
import type { Request } from 'express';
import { ConsoleAccounts } from '../../src/accounts/console-accounts.js';
import { VisibleAccounts } from '../../src/accounts/visible-accounts.js';
import { ConsoleKeys } from '../../src/accounts/keys/console-keys.js';
import { ConsoleChallenges } from '../../src/accounts/keys/console-challenges.js';
import {
  consoleHost,
  readResponse,
  type ConsoleHost,
  type KeyResponse,
} from '../../src/accounts/keys/key-ceremony.js';
import { ConsoleSessions } from '../../src/accounts/sessions/console-sessions.js';
import { falseIfTaken } from '../../src/platform/database/commit/unique-violation.js';
import { Database } from '../../src/platform/database/database.js';
import type { SignInRule } from '../../src/platform/access/accounts/accounts.js';
import { BrowserClient, type Shown } from '../support/browser-client.js';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import type { AuthenticationTweaks } from '../../packages/testing/src/tweaks.js';
import type { CreationOptions, RequestOptions } from '../../packages/testing/src/ceremony-json.js';
import { FLAGS } from '../../packages/testing/src/structures.js';
import { changingCall } from '../support/changing-call.js';
import { adminClient } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { keepRows } from '../support/kept-rows.js';
import { ageSessions } from '../support/older-sessions.js';
import { fieldsOfForm, noticeIn, optionsIn } from '../support/page-forms.js';
import { countOf, lastAuditRow, rowsOf } from '../support/rows.js';
import { ADMIN, TestServer } from '../support/test-server.js';
import { expectOneRefused } from '../support/refusals/refusal.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const ACCOUNT = '/console/account';

describe.each(DATABASES)('a key of a console account, over %s', (on) => {
  let server: TestServer;
  let other: TestServer;
  let device: SoftAuthenticator;
  let restoreAccount: () => Promise<unknown>;

  beforeAll(async () => {
    server = await TestServer.start({ on });
    other = await TestServer.start({ database: server.database });
    device = new SoftAuthenticator();
    const admin = await byPassword();
    expect((await add(admin, device)).text).toContain('The key is added. You can sign in with it.');
    restoreAccount = await keepRows(server, ['console_accounts', 'console_keys']);
  });
  beforeEach(async () => {
    await restoreAccount();
    await server.get(ConsoleSessions).endAll(ADMIN.user, server.call);
  });
  afterAll(async () => {
    await other.stop();
    await server.stop();
  });

  const origin = (at: TestServer) => ({ origin: at.url });
  const byPassword = () => BrowserClient.signedIn(server.url, ADMIN.user, ADMIN.password);
  /** No answer waits for the row of a refused sign-in, which may come later. */
  const lastSignIn = () => lastAuditRow(server, 'console.sign-in', 'ok');

  it('signs the account in without a password, at each instance', async () => {
    for (const at of [server, other]) {
      expect((await byKey(await answer(at), at)).text).toContain('Signed in as');
    }
    expect(await lastSignIn()).toMatchObject({ detail: { way: 'key' } });
    expect(await countOf(server, 'credentials')).toBe(0);
  });

  it('answers a challenge only once over all instances', async () => {
    const response = await answer();
    const all = await Promise.all([byKey(response), byKey(response), byKey(response)]);
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await byKey(response)).status).toBe(401);
  });

  it.each<[string, () => Promise<string>]>([
    ['of another origin', () => answer(server, {}, 'https://evil.example')],
    ['for another host', () => answer(server, { rpIdHash: Buffer.alloc(32) })],
    ['without verifying the user', () => answer(server, { flags: (flags) => flags & ~FLAGS.UV })],
    ['with a wrong signature', () => answer(server, { signature: (bytes) => bytes.fill(1, 8) })],
    [
      'with a challenge of nobody',
      () => answer(server, { clientData: { challenge: 'A'.repeat(72) } }),
    ],
    ['for another user', () => answer(server, { userHandle: 'AAAA' })],
    ['that is no JSON', async () => '{'],
    ['that is nothing', async () => '{"id":"AA","response":{}}'],
    [
      'of an unknown key',
      async () => (await answer()).replaceAll(/"(id|rawId)":"[^"]+"/g, '"$1":"AAAA"'),
    ],
  ])(
    'a key of a console account does not sign in by an answer %s, and all such answers get the same refusal',
    async (_, made) => {
      const shown = await byKey(await made());
      expect(shown.status).toBe(401);
      expect(shown.text).toContain('This key cannot sign in here.');
      expect(shown.set).toEqual([]);
    },
  );

  it('a key of a console account does not sign in by a late answer', async () => {
    const response = await answer();
    server.clock.advance(6 * MINUTE_MS);
    expect((await byKey(response)).status).toBe(401);
  });

  it('a key of a console account is refused as a possible copy if its counter does not rise', async () => {
    expect((await byKey(await answer(server, { signCount: 1 }))).status).toBe(401);
    expect((await byKey(await answer())).status).toBe(200);
  });

  it('a key of a console account can be neither used nor added from a page of another site', async () => {
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    const response = await answer();
    const client = new BrowserClient(server.url);
    expect((await client.submit('/console/sign-in/key', { response }, foreign)).status).toBe(403);
    const admin = await byPassword();
    await admin.open(ACCOUNT);
    expect((await admin.submit(`${ACCOUNT}/keys`, { name: 'x', response }, foreign)).status).toBe(
      403,
    );
    const without = { formToken: 'x', name: 'x', response };
    expect((await admin.submit(`${ACCOUNT}/keys`, without)).status).toBe(403);
  });

  it('a key of a console account cannot be added in a browser that was idle for a quarter of an hour', async () => {
    const admin = await byPassword();
    const page = await admin.open(ACCOUNT);
    const made = new SoftAuthenticator().create(optionsIn(page, 'create'), origin(server));
    await ageSessions(server, 16 * MINUTE_MS);
    const shown = await admin.submit(`${ACCOUNT}/keys`, {
      name: 'x',
      response: JSON.stringify(made),
    });
    expect(shown.status).toBe(400);
    expect(shown.text).toContain('Sign in again: nothing was changed.');
    expect(await countOf(server, 'console_keys')).toBe(1);
  });

  it('a key of a console account does not prolong a session or its recent sign-in when the sign-in rule changes', async () => {
    const admin = await byPassword();
    const times = () =>
      rowsOf(server, 'SELECT began_at, ends_at FROM console_sessions ORDER BY id');
    await ageSessions(server, 14 * MINUTE_MS);
    const before = (await times()).at(-1);
    expect((await setRule(admin, 'password')).text).toContain('The password is enough');
    expect((await times()).at(-1)).toEqual(before);
    await ageSessions(server, 2 * MINUTE_MS);
    expect((await setRule(admin, 'password')).text).toContain(
      'Sign in again: nothing was changed.',
    );
  });

  it('a key of a console account is added once, and only to the account that began the registration', async () => {
    const admin = await byPassword();
    const page = await admin.open(ACCOUNT);
    const made = new SoftAuthenticator().create(optionsIn(page, 'create'), origin(server));
    const fields = { name: 'Spare', response: JSON.stringify(made) };
    expect((await admin.submit(`${ACCOUNT}/keys`, fields)).status).toBe(200);
    expect(await lastAuditRow(server, 'account.key.add')).toMatchObject({
      detail: { key: 'Spare' },
    });
    expect((await admin.submit(`${ACCOUNT}/keys`, fields)).status).toBe(400);
    const [, remove = ''] = [
      ...(await admin.open(ACCOUNT)).text.matchAll(/action="(\/[^"]+\/_remove)"/g),
    ]
      .map(([, path]) => path)
      .filter((path) => path !== undefined);
    expect((await admin.submit(remove, {})).text).toContain('The key is removed.');
    expect(await countOf(server, 'console_keys')).toBe(1);
  });

  it('a key of a console account is required beside the password if the rule says so, and HTTP Basic is refused', async () => {
    const programs = adminClient(other.url);
    expect((await programs.get('/userapi/audit')).status).toBe(200);
    const admin = await byPassword();
    const elsewhere = await byPassword();
    const { text } = await setRule(admin, 'password+key');
    expect(text).toContain('You now need the password and a key');
    expect(text).not.toMatch(/sessions\/[\w-]{22}\/_end/);
    expect((await elsewhere.open('/')).status).toBe(401);
    expect((await admin.open('/')).status).toBe(200);
    expect((await programs.get('/userapi/audit')).status).toBe(401);
    expect((await byKey(await answer())).text).toContain('requires its password first');

    const client = new BrowserClient(server.url);
    const asked = await client.signIn(ADMIN.user, ADMIN.password);
    expect(asked.status).toBe(401);
    expect(client.session).toBeUndefined();
    const options = optionsIn<RequestOptions>(asked, 'get');
    const response = JSON.stringify(device.get(options, origin(server)));
    // The challenge identifies the account whose password was right: that of another account, or of none, is refused.
    expect((await byKey(response)).status).toBe(401);
    const again = JSON.stringify(device.get(options, origin(server)));
    expect((await byKey(await answer(), server, { username: ADMIN.user })).status).toBe(401);
    expect((await byKey(again, server, { username: ADMIN.user })).text).toContain('Signed in as');
    expect(await lastSignIn()).toMatchObject({ detail: { way: 'password+key' } });
  });

  it('replaces every password if the rule says key only, and then the last key cannot be deleted', async () => {
    await setRule(await byPassword(), 'password+key');
    const asked = await new BrowserClient(server.url).signIn(ADMIN.user, ADMIN.password);
    const response = JSON.stringify(device.get(optionsIn(asked, 'get'), origin(server)));
    const admin = new BrowserClient(server.url);
    await admin.submit('/console/sign-in/key', { response, username: ADMIN.user });
    expect((await setRule(admin, 'key')).text).toContain('You now need a key to sign in.');
    const wrong = await new BrowserClient(server.url).signIn(ADMIN.user, ADMIN.password);
    expect(wrong.text).toContain('The name or the password is wrong.');
    expect((await byKey(await answer())).status).toBe(200);
    const [, remove = ''] =
      /action="(\/[^"]+\/_remove)"/.exec((await admin.open(ACCOUNT)).text) ?? [];
    expect((await admin.submit(remove, {})).text).toContain('This is the last key');
    expect((await setRule(admin, 'password')).text).toContain('The password is enough');
    expect((await adminClient(other.url).get('/userapi/audit')).status).toBe(200);
  });

  it('added without user verification signs in beside the password first, and then alone', async () => {
    const plain = new SoftAuthenticator({ userVerified: false });
    const admin = await byPassword();
    expect((await add(admin, plain, 'Plain')).text).toContain('It is not enough alone to sign in.');
    expect((await admin.open(ACCOUNT)).text).toContain('only together with the password');
    // The thief has set a PIN.
    const tweaks = { flags: (flags: number) => flags | FLAGS.UV };
    const alone = async () => {
      const page = await new BrowserClient(server.url).open('/console/sign-in');
      const options = { ...optionsIn<RequestOptions>(page, 'get'), allowCredentials: [] };
      return byKey(JSON.stringify(plain.get(options, { origin: server.url, tweaks })));
    };
    for (let n = 0; n < 2; n += 1) expect((await alone()).status).toBe(401);

    await setRule(admin, 'password+key');
    const beside = async (used: AuthenticationTweaks) => {
      const asked = await new BrowserClient(server.url).signIn(ADMIN.user, ADMIN.password);
      const options = optionsIn<RequestOptions>(asked, 'get');
      const own = options.allowCredentials?.filter(({ id }) =>
        plain.credentials.some((one) => one.id.toString('base64url') === id),
      );
      const answered = { ...options, allowCredentials: own ?? [] };
      const response = JSON.stringify(plain.get(answered, { origin: server.url, tweaks: used }));
      return byKey(response, server, { username: ADMIN.user });
    };
    expect((await beside({})).text).toContain('Signed in as');
    await setRule(admin, 'password');
    expect((await alone()).status).toBe(401);
    await setRule(admin, 'password+key');
    expect((await beside(tweaks)).text).toContain('Signed in as');
    await setRule(admin, 'password');
    expect((await alone()).text).toContain('Signed in as');
  });

  describe('a key added without user verification, beside a verified key', () => {
    const PIN = { flags: (flags: number) => flags | FLAGS.UV };
    let admin: BrowserClient;
    beforeEach(async () => {
      admin = await byPassword();
    });
    const unverified = async (name: string) => {
      const made = new SoftAuthenticator({ userVerified: false });
      expect((await add(admin, made, name)).text).toContain('The key is added.');
      return made;
    };
    const use = (one: SoftAuthenticator, options: RequestOptions, tweaks = {}) => {
      const answered = { ...options, allowCredentials: [] };
      return JSON.stringify(one.get(answered, { origin: server.url, tweaks }));
    };
    /** What the sign-in page answers to this key alone. */
    const alone = async (one: SoftAuthenticator, tweaks: AuthenticationTweaks = PIN) => {
      const page = await new BrowserClient(server.url).open('/console/sign-in');
      return byKey(use(one, optionsIn<RequestOptions>(page, 'get'), tweaks));
    };
    const besideIn = ({ text }: Shown) => /name="beside" value="([^"]+)"/.exec(text)?.[1] ?? '';

    it('signs in and is the only factor from the next sign-in on', async () => {
      const plain = await unverified('New');
      const asked = await alone(plain);
      expect(asked.status).toBe(401);
      expect(asked.set).toEqual([]);
      expect(asked.text).toContain('Now use another key of yours');
      const beside = besideIn(asked);
      const response = use(device, optionsIn<RequestOptions>(asked, 'get'));
      expect((await byKey(response, server, { beside })).text).toContain('Signed in as');
      expect(await lastSignIn()).toMatchObject({ detail: { way: 'key', verified: 'New' } });
      expect((await alone(plain)).text).toContain('Signed in as');
    });

    it.each<[string, (asked: Shown, plain: SoftAuthenticator) => Promise<object>]>([
      [
        'the same key',
        async (asked, plain) => ({
          response: use(plain, optionsIn<RequestOptions>(asked, 'get'), PIN),
          beside: besideIn(asked),
        }),
      ],
      [
        'a third key that asked for nothing either',
        async (asked) => ({
          response: use(await unverified('Third'), optionsIn<RequestOptions>(asked, 'get'), PIN),
          beside: besideIn(asked),
        }),
      ],
      [
        'a verified key that does not verify its user now',
        async (asked) => ({
          response: use(device, optionsIn<RequestOptions>(asked, 'get'), {
            flags: (flags: number) => flags & ~FLAGS.UV,
          }),
          beside: besideIn(asked),
        }),
      ],
      [
        'a verified key that answered for another key',
        async (asked) => {
          const second = await alone(await unverified('Second'));
          const response = use(device, optionsIn<RequestOptions>(second, 'get'));
          return { response, beside: besideIn(asked) };
        },
      ],
      [
        'a verified key of a sign-in of its own',
        async (asked) => ({ response: await answer(), beside: besideIn(asked) }),
      ],
      [
        'a key that does not exist',
        async (asked) => ({
          response: use(device, optionsIn<RequestOptions>(asked, 'get')),
          beside: 'AAAAAAAAAAAAAAAAAAAAAA',
        }),
      ],
    ])('a key added without user verification does not count beside %s', async (_, made) => {
      const plain = await unverified('Plain');
      const fields = await made(await alone(plain), plain);
      const shown = await new BrowserClient(server.url).submit('/console/sign-in/key', {
        ...fields,
      });
      expect(shown.status).toBe(401);
      expect(shown.set).toEqual([]);
      expect((await alone(plain)).text).toContain('Now use another key of yours');
    });

    it('a key added without user verification is refused if it does not verify its user or is the only key', async () => {
      const plain = await unverified('Plain');
      const refused = 'This key cannot sign in here.';
      expect((await alone(plain, {})).text).toContain(refused);
      const sql = 'UPDATE console_keys SET uv_initialized = ?';
      await server.get(Database).commit([{ sql, params: [0] }]);
      expect((await alone(plain)).text).toContain(refused);
    });

    it('a key added without user verification is requested after the password if the account requires both', async () => {
      const plain = await unverified('Plain');
      await setRule(admin, 'password+key');
      expect((await alone(plain)).text).toContain('requires its password first');
      await setRule(admin, 'password');
      expect((await alone(plain)).text).toContain('Now use another key of yours');
    });
  });

  it('causes a warning at the start if it is missing for an account that requires a verified key', async () => {
    const sql = 'UPDATE console_keys SET uv_initialized = ?';
    const admin = await byPassword();
    await setRule(admin, 'key');
    const warned = async () => {
      const started = await TestServer.start({ database: server.database });
      const said = JSON.stringify(started.logged);
      await started.stop();
      return said.includes('servicefido account reset');
    };
    expect(await warned()).toBe(false);
    await server.get(Database).commit([{ sql, params: [0] }]);
    expect(await warned()).toBe(true);
    await server.get(Database).commit([{ sql, params: [1] }]);
    expect((await setRule(admin, 'password')).text).toContain('The password is enough');
  });

  it('a key of a console account must have verified its user before the rule can say key only', async () => {
    const sql = 'UPDATE console_keys SET uv_initialized = ?';
    await server.get(Database).commit([{ sql, params: [0] }]);
    const admin = await byPassword();
    expect((await setRule(admin, 'key')).text).toContain('add a key that asks for a PIN');
  });

  it('a key of a console account has a page that shows a rule changed in another tab, and changes it by the next press', async () => {
    await setRule(await byPassword(), 'password');
    const here = await byPassword();
    const action = `${ACCOUNT}/rule`;
    // A change of the rule ends the session, and with it the token: the tab's form is offered with the new one.
    const { base = '' } = fieldsOfForm((await here.open(ACCOUNT)).text, action);
    expect((await here.submit(action, { base, rule: 'password+key' })).status).toBe(200);
    const late = await here.submit(action, { base, rule: 'key' });
    expect(late.status).toBe(412);
    expect(noticeIn(late)).toContain('Not saved yet');
    expect(noticeIn(late)).toMatch(/The password, or.* → The password and a key \(by admin\)/);
    expect((await server.get(VisibleAccounts).find(ADMIN.user)).signIn).toBe('password+key');
    const again = fieldsOfForm(late.text, action);
    expect(again['rule']).toEqual(['key']);
    expect((await here.submit(action, { ...again, rule: 'password' })).status).toBe(200);
    expect((await server.get(VisibleAccounts).find(ADMIN.user)).signIn).toBe('password');
  });

  it('a key of a console account cannot be added beside 20 others, even by simultaneous registrations', async () => {
    const admin = await byPassword();
    const all: string[] = [];
    for (let n = 0; n < 22; n += 1) {
      const page = await admin.open(ACCOUNT);
      const made = new SoftAuthenticator().create(optionsIn(page, 'create'), origin(server));
      all.push(JSON.stringify(made));
    }
    const adding = all.map((response) => admin.submit(`${ACCOUNT}/keys`, { name: 'x', response }));
    await Promise.all(adding);
    expect(await countOf(server, 'console_keys')).toBe(20);
  });

  it('a key of a console account ends the sessions that it may have begun when it is removed', async () => {
    const mine = await byPassword();
    const theirs = new BrowserClient(server.url);
    await add(mine, new SoftAuthenticator(), 'Lost');
    await theirs.submit('/console/sign-in/key', { response: await answer() });
    expect((await theirs.open('/')).status).toBe(200);
    const lost = (await server.get(ConsoleKeys).of(ADMIN.user)).at(-1)?.id.toString('base64url');
    await mine.open(ACCOUNT);
    expect((await mine.submit(`${ACCOUNT}/keys/${lost}/_remove`, {})).status).toBe(200);
    expect((await theirs.open('/')).status).toBe(401);
    expect((await mine.open('/')).status).toBe(200);
  });

  it('a key of a console account begins no session if it is removed during the sign-in', async () => {
    const mine = await byPassword();
    const key = new SoftAuthenticator();
    await add(mine, key, 'Lost');
    const lost = (await server.get(ConsoleKeys).of(ADMIN.user)).at(-1)?.id.toString('base64url');
    await mine.open(ACCOUNT);
    const sessions = server.get(ConsoleSessions);
    const begin = sessions.begin.bind(sessions);
    jest.spyOn(sessions, 'begin').mockImplementationOnce(async (...signIn) => {
      await mine.submit(`${ACCOUNT}/keys/${lost}/_remove`, {});
      return begin(...signIn);
    });
    const late = await byKey(await answer(server, {}, server.url, key));
    expect(late.status).toBe(401);
    expect(late.set).toEqual([]);
    expect((await mine.open('/')).status).toBe(200);
  });

  it('answers a challenge only once, whatever the clocks of the instances say', async () => {
    const challenges = server.get(ConsoleChallenges);
    const use = (at: TestServer, challenge: string) =>
      falseIfTaken(at.get(Database).commit(at.get(ConsoleChallenges).use(challenge)));
    server.clock.advance(HOUR_MS);
    const ahead = challenges.issue('only', '');
    server.clock.advance(-HOUR_MS);
    expect(await use(server, ahead)).toBe(true);
    server.clock.advance(6 * MINUTE_MS);
    other.clock.advance(HOUR_MS);
    for (const at of [server, other])
      expect(await use(at, challenges.issue('only', ''))).toBe(true);
    expect(await use(server, ahead)).toBe(false);
    other.clock.advance(-HOUR_MS);
  });

  describe('a session that is ended while it', () => {
    /** The signed-in account, as a call has read it before the session ended. */
    async function caller() {
      const client = await byPassword();
      const known = await server.get(VisibleAccounts).find(ADMIN.user);
      const [session] = await server.get(ConsoleSessions).of(ADMIN.user);
      return { client, known, by: { ...known.account, session: idOf(session) } };
    }
    const idOf = (row?: { readonly id: Buffer }) => row?.id.toString('base64url') ?? '';

    it.each<[string, () => Promise<unknown>]>([
      [
        'by a reset',
        () =>
          server
            .get(ConsoleAccounts)
            .reset(changingCall(server, 'account.reset'), ADMIN.user, 'link'),
      ],
      ['with all others', () => server.get(ConsoleSessions).endAll(ADMIN.user, server.call)],
    ])('adds a key adds none if it is ended %s', async (_, end) => {
      const { client, known, by } = await caller();
      const options = optionsIn<CreationOptions>(await client.open(ACCOUNT), 'create');
      const made = new SoftAuthenticator().create(options, origin(server));
      const { host: name, hostname } = new URL(server.url);
      const host = consoleHost({ host: name, hostname }) as ConsoleHost;
      const response = readResponse(JSON.stringify(made)) as KeyResponse;
      await end();
      const before = await countOf(server, 'console_keys');
      const adding = server
        .get(ConsoleKeys)
        .add(changingCall(server, 'account.key.add', by), known, { host, response, name: 'Late' });
      await expect(adding).rejects.toMatchObject({ code: 'E0045R' });
      expect(await countOf(server, 'console_keys')).toBe(before);
    });

    it('changes the sign-in rule begins no new session', async () => {
      const { known, by } = await caller();
      await server.get(ConsoleSessions).endAll(ADMIN.user, server.call);
      const request = { ip: '127.0.0.1', headers: {} } as Request;
      expect(await server.get(ConsoleSessions).replace(request, known, by)).toBeUndefined();
      expect(await countOf(server, 'console_sessions')).toBe(0);
    });
  });

  describe('two simultaneous changes at two instances', () => {
    const ROUNDS = 5;
    const known = (at: TestServer) => at.get(VisibleAccounts).find(ADMIN.user);
    const keysOf = (at: TestServer) => at.get(ConsoleKeys);
    const remove = async (at: TestServer, id: string) =>
      keysOf(at).remove(changingCall(at, 'account.key.remove', (await known(at)).account), id);
    const rule = async (at: TestServer, said: SignInRule) =>
      keysOf(at).setRule(changingCall(at, 'account.rule'), await known(at), said);

    /** The account with the given number of keys, and a password that is enough. */
    async function holding(count: number): Promise<string[]> {
      await rule(server, 'password');
      for (const { id } of await keysOf(server).of(ADMIN.user)) {
        await remove(server, id.toString('base64url'));
      }
      const admin = await byPassword();
      for (let n = 0; n < count; n += 1) await add(admin, new SoftAuthenticator());
      return (await keysOf(server).of(ADMIN.user)).map(({ id }) => id.toString('base64url'));
    }

    it('store one of two rules', async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        await holding(1);
        const account = await known(server);
        const ends = await Promise.allSettled([
          keysOf(server).setRule(changingCall(server, 'account.rule'), account, 'password+key'),
          keysOf(other).setRule(changingCall(other, 'account.rule'), account, 'key'),
        ]);
        const [late] = ends.filter((end) => end.status === 'rejected');
        expect(late).toMatchObject({ reason: { code: 'E0053R' } });
        const { signIn } = await known(server);
        expect(signIn).toBe(ends[0].status === 'fulfilled' ? 'password+key' : 'key');
      }
    });

    it.each([
      ['two instances', () => other],
      ['one instance', () => server],
    ])('cannot delete the last two keys at %s', async (_, second) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const [one = '', two = ''] = await holding(2);
        await rule(server, 'key');
        await expectOneRefused([remove(server, one), remove(second(), two)]);
      }
    });

    it.each(['password+key', 'key'] as const)(
      'cannot both delete the last key and say "%s"',
      async (said) => {
        for (let round = 0; round < ROUNDS; round += 1) {
          const [key = ''] = await holding(1);
          await expectOneRefused([remove(server, key), rule(other, said)]);
        }
      },
    );
  });

  async function add(client: BrowserClient, authenticator: SoftAuthenticator, name = 'Laptop') {
    const page = await client.open(ACCOUNT);
    const made = authenticator.create(optionsIn<CreationOptions>(page, 'create'), origin(server));
    return client.submit(`${ACCOUNT}/keys`, { name, response: JSON.stringify(made) });
  }

  /** The answer to the sign-in page's prompt. */
  async function answer(
    at = server,
    tweaks: AuthenticationTweaks = {},
    from = at.url,
    by = device,
  ) {
    const page = await new BrowserClient(at.url).open('/console/sign-in');
    const options = optionsIn<RequestOptions>(page, 'get');
    return JSON.stringify(by.get({ ...options, allowCredentials: [] }, { origin: from, tweaks }));
  }

  function byKey(response: string, at = server, fields = {}) {
    return new BrowserClient(at.url).submit('/console/sign-in/key', { response, ...fields });
  }

  async function setRule(client: BrowserClient, rule: string): Promise<Shown> {
    await client.open(ACCOUNT);
    return client.submit(`${ACCOUNT}/rule`, { rule });
  }
});
