import { issueKey } from '../support/application-keys.js';
import { FLAGS } from '../../packages/testing/src/structures.js';
import type { RegistrationTweaks } from '../../packages/testing/src/tweaks.js';
import { Backend } from '../support/backend.js';
import { FidoClient } from '../support/fido-client.js';
import { disableCredentials } from '../support/refusals/disable.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { TestServer } from '../support/test-server.js';

const CONDITIONAL = { mediation: 'conditional' };
/** Without user presence: nobody was prompted. */
const UNSEEN: RegistrationTweaks = { flags: (flags) => flags & ~FLAGS.UP & ~FLAGS.UV };

describe('a registration without a prompt', () => {
  let server: TestServer;
  let secret: string;
  beforeAll(async () => {
    server = await TestServer.start();
    const origins = [server.url];
    for (const [domain, policy] of [
      ['tickets.example', { registration: 'ticket' }],
      ['verified.example', { userVerification: 'required' }],
    ] as const) {
      await server.addRelyingParty('default', { domain, origins, policy });
    }
    secret = (await issueKey(server.url, { tenant: 'default', scopes: ['ceremonies'] })).secret;
    // A stale token expires seconds later, and then its refusal contains the time.
    server.clock.standAt(Date.now());
  });
  afterAll(() => server.stop());

  const post = (client: FidoClient, username: string, more: object, token?: unknown) =>
    client.post(
      client.paths.beginRegistration,
      { username, displayName: username, ...CONDITIONAL, ...more },
      token === undefined ? {} : { authorization: `Bearer ${String(token)}` },
    );
  const signedIn = async (username: string) => {
    const client = new FidoClient(server.url);
    await client.register(username);
    return { client, token: (await client.signIn(username)).body['token'] };
  };

  it('a backend can register a key without a prompt, for a user who signed in with a password', async () => {
    const shop = new Backend(server.url, secret);
    const begun = await shop.beginRegistration('paula', CONDITIONAL);
    expect(begun.body).toMatchObject({
      status: 'ok',
      authenticatorSelection: { userVerification: 'preferred' },
    });
    expect(begun.body).not.toHaveProperty('warnings');
    const { ceremony } = begun.body;
    const made = await shop.completeRegistration({ ...shop.create(begun, UNSEEN), ceremony });
    expect(made).toMatchObject({ status: 200, body: { username: 'paula', userVerified: false } });
    expect(await shop.signIn('paula')).toMatchObject({ status: 200 });
  });

  it('a page can register a key without a prompt by a recent token of an enabled key (E0043R)', async () => {
    const { token, client } = await signedIn('tina');
    const phone = new FidoClient(server.url);
    const begun = await post(phone, 'tina', { userVerification: 'required' }, token);
    expect(begun.body).toMatchObject({ authenticatorSelection: { userVerification: 'preferred' } });
    expect((await phone.completeRegistration(phone.create(begun, UNSEEN))).status).toBe(200);

    const late = new FidoClient(server.url);
    const another = await post(late, 'tina', {}, token);
    await disableCredentials(server, client.authenticator);
    expectRefusal(await late.completeRegistration(late.create(another, UNSEEN)), 'E0043R');
    expectRefusal(await post(late, 'tina', {}, token), 'E0043R');
  });

  it('a page cannot register a key without a prompt and a recent token of the user (E0043R)', async () => {
    const { token } = await signedIn('ulla');
    await signedIn('vera');
    for (const [username, own] of [
      ['ulla', undefined],
      ['newcomer', undefined],
      ['vera', token],
      ['newcomer', token],
    ] as const) {
      expectRefusal(await post(new FidoClient(server.url), username, {}, own), 'E0043R');
    }
    server.clock.advance(301_000);
    expectRefusal(await post(new FidoClient(server.url), 'ulla', {}, token), 'E0043R');
  });

  it('the refusal of a registration without a prompt does not reveal whether a user exists', async () => {
    const { token } = await signedIn('quinn');
    await signedIn('ruth');
    const old = (await signedIn('sven')).token;
    server.clock.advance(301_000);
    const fresh = (await signedIn('theo')).token;
    /** The whole answer to a stranger, except values that differ from call to call. */
    const answerTo = async (username: string, own: unknown) => {
      const { status, headers, body } = await post(new FidoClient(server.url), username, {}, own);
      const names = [...headers.keys()].sort();
      return { status, names, body: { ...body, requestId: '' } };
    };
    for (const own of [undefined, 'nonsense', token, old, fresh]) {
      const known = await answerTo('ruth', own);
      const unknown = await answerTo('no-one', own);
      expect(unknown).toEqual(known);
      expect(unknown.body.errorMessage).not.toMatch(/exist/);
    }
    for (const own of [undefined, fresh]) {
      const { body } = await answerTo('no-one', own);
      expect(body).toMatchObject({ errorCode: 'E0043R', reason: 'registration.needsProof' });
    }
    const named = async (username: string) => {
      const client = new FidoClient(server.url);
      const answer = await client.beginAuthentication(username, CONDITIONAL);
      return { status: answer.status, body: { ...answer.body, requestId: '' } };
    };
    const keyless = new FidoClient(server.url);
    await keyless.register('uma');
    await disableCredentials(server, keyless.authenticator);
    expect(await named('uma')).toEqual(await named('no-one'));
  });

  it('a registration without a prompt needs an application key where tickets are required (E0043R)', async () => {
    const relyingParty = 'tickets.example';
    const page = new FidoClient(server.url, { relyingParty });
    expectRefusal(await post(page, 'wanda', { ticket: 'any' }), 'E0043R');
    const shop = new Backend(server.url, secret, { relyingParty });
    expect((await shop.beginRegistration('wanda', CONDITIONAL)).status).toBe(200);
  });

  it('refuses a registration without a prompt where user verification is required (E0043R)', async () => {
    const strict = new Backend(server.url, secret, { relyingParty: 'verified.example' });
    expectRefusal(await strict.beginRegistration('xenia', CONDITIONAL), 'E0043R');
    const shop = new Backend(server.url, secret);
    for (const credProtect of [2, 3]) {
      const more = { ...CONDITIONAL, extensions: { credProtect } };
      expectRefusal(await shop.beginRegistration('xenia', more), 'E0043R');
    }
    const forced = await TestServer.start({ options: { verify: true } });
    const key = await issueKey(forced.url, { tenant: 'default', scopes: ['ceremonies'] });
    const backend = new Backend(forced.url, key.secret);
    expectRefusal(await backend.beginRegistration('xenia', CONDITIONAL), 'E0043R');
    await forced.stop();
  });

  it('refuses a registration without user presence unless it began as conditional (E0031R)', async () => {
    const client = new FidoClient(server.url);
    for (const mediation of [undefined, 'optional', 'required']) {
      const begun = await client.beginRegistration('yves', mediation ? { mediation } : {});
      const body = { ...client.create(begun, UNSEEN), ...CONDITIONAL, presenceWaived: true };
      expectRefusal(await client.completeRegistration(body), 'E0031R');
    }
    expectRefusal(await client.beginRegistration('yves', { mediation: 'never' }), 'E0001R');
  });

  it('refuses a conditional sign-in without user presence (E0031R)', async () => {
    const { client } = await signedIn('zoe');
    const begun = await client.beginAuthentication('zoe', CONDITIONAL);
    const body = client.assert(begun, { flags: (flags) => flags & ~FLAGS.UP });
    expectRefusal(await client.completeAuthentication(body), 'E0031R');
  });
});
