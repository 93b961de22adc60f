import { decodeJwt } from 'jose';
import { AdminClient } from '../support/admin-client.js';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { issueKey } from '../support/application-keys.js';
import { Backend } from '../support/backend.js';
import { DATABASES, REDIS_URL, type DatabaseName } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { disableCredentials } from '../support/refusals/disable.js';
import { rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';
import { postImport } from '../support/transfer.js';

const PLACES: readonly (readonly [DatabaseName, string, string])[] = [
  ['SQLite', 'memory', 'memory:'],
  ...(REDIS_URL === undefined
    ? []
    : ([[DATABASES.at(-1) ?? 'SQLite', 'Redis', REDIS_URL]] as const)),
];
const ok = { status: 200, body: { status: 'ok' } };

describe.each(PLACES)('a sign-in without a user name, on %s and %s', (on, _, sessions) => {
  let server: TestServer;
  let client: FidoClient;
  beforeAll(async () => {
    server = await TestServer.start({ on, options: { sessions } });
    await server.addRelyingParty('default', {
      domain: 'lenient.example',
      origins: [server.url],
      policy: { userVerification: 'discouraged' },
    });
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    client = new FidoClient(server.url);
  });

  const signIn = async (mediation = 'optional', tweaks = {}) => {
    const begun = await client.beginNameless(mediation);
    return client.completeAuthentication(client.assert(begun, tweaks));
  };

  it.each([
    ['optional', 60_000],
    ['conditional', 600_000],
  ])(
    'a begin call with mediation "%s" and no user name lists no keys and requires verification',
    async (how, timeout) => {
      expect((await client.beginNameless(how)).body).toEqual({
        status: 'ok',
        errorMessage: '',
        challenge: expect.stringMatching(/^[\w-]{43}$/),
        timeout,
        rpId: 'localhost',
        allowCredentials: [],
        userVerification: 'required',
        extensions: {},
      });
    },
  );

  it.each(['optional', 'conditional'])(
    'a sign-in with mediation "%s" and no user name identifies the user by the key',
    async (how) => {
      await client.register(`anna-${how}`, { displayName: 'Anna' });
      await new FidoClient(server.url).register(`anna-${how}`, { displayName: 'Anna B.' });
      const { status, body } = await signIn(how);
      expect(status).toBe(200);
      expect(body).toMatchObject({ username: `anna-${how}`, displayName: 'Anna B.' });
      expect(decodeJwt(String(body['token']))).toMatchObject({
        sub: `anna-${how}`,
        amr: ['hwk', 'user', 'mfa'],
      });
    },
  );

  it('a sign-in without a user name adds an event, and its token contains the user ID', async () => {
    const { secret } = await issueKey(server.url, { tenant: 'default', scopes: ['ceremonies'] });
    const shop = new Backend(server.url, secret);
    const begun = await shop.beginRegistration('subject', { userId: 'customer-7' });
    const { ceremony } = begun.body;
    expect(await shop.completeRegistration({ ...shop.create(begun), ceremony })).toMatchObject(ok);
    client = new FidoClient(server.url, { authenticator: shop.authenticator });
    const { body } = await signIn('conditional');
    expect(decodeJwt(String(body['token']))).toMatchObject({ user_id: 'customer-7' });
    const events = await rowsOf(
      server,
      "SELECT kind FROM events WHERE kind = 'authentication' AND username = ?",
      Buffer.from('subject'),
    );
    expect(events).toHaveLength(1);
  });

  it('a backend signs a user in without a user name and without a cookie', async () => {
    const { secret } = await issueKey(server.url, { tenant: 'default', scopes: ['ceremonies'] });
    const shop = new Backend(server.url, secret);
    await client.register('shopper');
    const begun = await shop.beginNameless('conditional');
    const { ceremony } = begun.body;
    const answer = await shop.completeAuthentication({ ...client.assert(begun), ceremony });
    expect(answer).toMatchObject({ status: 200, body: { username: 'shopper' } });
  });

  it('a begin call without a user name needs a supported "mediation" and no "userId" (E0001R)', async () => {
    for (const body of [
      {},
      { username: null, mediation: 'optional' },
      { username: '', mediation: 'conditional' },
      { mediation: 'required' },
      { mediation: 'silent' },
      { mediation: 'immediate' },
      { mediation: null },
      { mediation: 'optional', userId: 'customer-7' },
    ]) {
      expectRefusal(await client.post(client.paths.beginAuthentication, body), 'E0001R');
    }
    await client.register('named');
    const begun = await client.beginAuthentication('named', { mediation: 'conditional' });
    expect(begun.body).toMatchObject({ timeout: 60_000, allowCredentials: [{}] });
    expect(begun.body).not.toHaveProperty('warnings');
  });

  it('user verification in a sign-in without a user name follows the policy, not the page', async () => {
    const asked = { userVerification: 'discouraged' };
    const { body } = await client.beginNameless('optional', asked);
    expect(body).toMatchObject({ userVerification: 'required' });
    const lenient = new FidoClient(server.url, { relyingParty: 'lenient.example' });
    expect((await lenient.beginNameless()).body).toMatchObject(asked);
  });

  it('refuses a sign-in without a user name and without user verification (E0031R)', async () => {
    client = new FidoClient(server.url, {
      authenticator: new SoftAuthenticator({ userVerified: false }),
    });
    await client.register('touch');
    expectRefusal(await signIn(), 'E0031R');
  });

  it('refuses a user handle that is missing or of another user than the key (E0010R, E0033R, WebAuthn L3 §7.2 step 6)', async () => {
    await client.register('handle');
    for (const userHandle of [null, '']) {
      expectRefusal(await signIn('optional', { userHandle }), 'E0010R');
    }
    const other = new FidoClient(server.url);
    await other.register('other');
    const userHandle = other.authenticator.credentials[0]?.userHandle;
    expectRefusal(await signIn('conditional', { userHandle }), 'E0033R');
    // Again, now that the server has the key in memory.
    expect(await signIn()).toMatchObject(ok);
    expectRefusal(await signIn('optional', { userHandle }), 'E0033R');
  });

  it('refuses an unknown key, a key of another domain and a disabled key (E0033R, E0034R)', async () => {
    const created = await new FidoClient(server.url).beginRegistration('nobody');
    client.create(created);
    expect(await signIn()).toMatchObject({ status: 404, body: { errorCode: 'E0033R' } });

    const lenient = new FidoClient(server.url, { relyingParty: 'lenient.example' });
    await lenient.register('elsewhere');
    const begun = await client.beginNameless();
    const body = lenient.authenticator.get({ ...begun.body, rpId: 'lenient.example' } as never, {
      origin: server.url,
    });
    expect(await client.completeAuthentication(body)).toMatchObject({
      status: 404,
      body: { errorCode: 'E0033R' },
    });

    client = new FidoClient(server.url);
    await client.register('disabled');
    expect(await signIn()).toMatchObject(ok);
    await disableCredentials(server, client.authenticator);
    expectRefusal(await signIn(), 'E0034R');
  });

  it.each([
    ['deleted', { type: 'deldevice', device: '*' }],
    ['deleted with its user', { type: 'deluser' }],
  ])(
    'accepts a key that was %s and imported again, without a clone alarm',
    async (what, deletion) => {
      const username = `imported ${what}`;
      await client.register(username);
      expect(await signIn()).toMatchObject(ok);
      const admin = new AdminClient(server.url, 'localhost');
      const { text } = await admin.get('/userapi/export?relyingParty=localhost');
      expect((await admin.manage({ ...deletion, filter: username })).status).toBe(200);
      expect(await postImport(admin, text)).toMatchObject({ body: { keys: { created: 1 } } });
      for (let n = 0; n < 2; n += 1) {
        expect(await signIn()).toMatchObject({ status: 200, body: { username } });
      }
      const sql = "SELECT kind FROM events WHERE username = ? AND kind = 'clone-alarm'";
      expect(await rowsOf(server, sql, Buffer.from(username))).toEqual([]);
    },
  );

  it('signs in the new user of a key that was deleted and imported for another user', async () => {
    await client.register('giver');
    expect(await signIn()).toMatchObject(ok);
    const admin = new AdminClient(server.url, 'localhost');
    const { text } = await admin.get('/userapi/export?relyingParty=localhost');
    expect((await admin.manage({ type: 'deluser', filter: 'giver' })).status).toBe(200);
    expect((await postImport(admin, text.replace('"giver"', '"taker"'))).status).toBe(200);
    expect(await signIn()).toMatchObject({ status: 200, body: { username: 'taker' } });
  });

  it('reports a key that signed in before and was deleted since to the browser (E0033R)', async () => {
    await client.register('leaver');
    expect(await signIn()).toMatchObject(ok);
    const admin = new AdminClient(server.url, 'localhost');
    await admin.manage({ type: 'deldevice', filter: 'leaver', device: '*' });
    expect(await signIn()).toMatchObject({
      status: 404,
      body: { errorCode: 'E0033R', unknownCredential: { rpId: 'localhost' } },
    });
  });

  it('four waiting tabs can complete in any order, and a fifth evicts the first (E0024R)', async () => {
    const authenticator = new SoftAuthenticator({ counterStep: 0 });
    client = new FidoClient(server.url, { authenticator });
    await client.register('tabs');
    const begun = [];
    for (let n = 0; n < 5; n += 1) begun.push(await client.beginNameless('conditional'));
    const [first, ...others] = begun.map((answer) => client.assert(answer)).reverse();
    expect(await client.completeAuthentication(first)).toMatchObject(ok);
    const oldest = others.pop();
    for (const body of others) expect(await client.completeAuthentication(body)).toMatchObject(ok);
    expectRefusal(await client.completeAuthentication(oldest), 'E0024R');
  });

  it('a waiting sign-in can still complete after a sign-in with a user name', async () => {
    await client.register('typed');
    const waiting = await client.beginNameless('conditional');
    server.clock.advance(300_000);
    expect(await client.signIn('typed')).toMatchObject(ok);
    server.clock.advance(200_000);
    expect(await client.completeAuthentication(client.assert(waiting))).toMatchObject(ok);
  });

  it('a conditional sign-in expires after ten minutes, an optional one after one (E0024R)', async () => {
    await client.register('late');
    const waiting = client.assert(await client.beginNameless('conditional'));
    const modal = client.assert(await client.beginNameless('optional'));
    // Instances that share Redis allow five seconds between their clocks.
    server.clock.advance(66_000);
    expectRefusal(await client.completeAuthentication(modal), 'E0024R');
    server.clock.advance(540_000);
    expectRefusal(await client.completeAuthentication(waiting), 'E0024R');
  });

  it('an assertion without client data uses up the newest ceremony, even a conditional one (E0021R)', async () => {
    await client.register('vague');
    await client.beginNameless('conditional');
    const body = client.assert(await client.beginAuthentication('vague'));
    const vague = { ...body, response: { ...body.response, clientDataJSON: '' } };
    expectRefusal(await client.completeAuthentication(vague), 'E0021R');
    expectRefusal(await client.completeAuthentication(vague), 'E0021R');
    expectRefusal(await client.completeAuthentication(vague), 'E0024R');
  });
});
