import { Database } from '../../src/database/database.js';
import { OPERATOR } from '../../src/security/account.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { issueKey } from '../support/application-keys.js';
import { SoftAuthenticator } from '../support/authenticator/soft-authenticator.js';
import { adminClient } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient, PATHS } from '../support/fido-client.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { TestServer } from '../support/test-server.js';

const OLD = 'old.example';
const NEW = 'new.example';
const TENANT = '/tenantapi/tenants/acme/relying-parties';
const HOUR_MS = 3_600_000;

const claimsOf = ({ body }: Answer) =>
  JSON.parse(
    Buffer.from(String(body['token']).split('.')[1] ?? '', 'base64url').toString(),
  ) as Record<string, unknown>;

/** People of the old domain sign in at the new one with their old keys. */
describe.each(DATABASES)('a relying party with a predecessor, on %s', (on) => {
  let server: TestServer;
  let admin: Client;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    admin = adminClient(server.url);
    const origin = `https://${NEW}`;
    await server.addRelyingParty('acme', { domain: OLD, relatedOrigins: [origin] });
    await server.addRelyingParty('acme', { domain: NEW, policy: { registration: 'first-only' } });
    await server.addRelyingParty('globex', { domain: 'globex.example' });
  });
  afterAll(() => server.stop());

  const at = (relyingParty: string, authenticator?: SoftAuthenticator) =>
    new FidoClient(server.url, {
      relyingParty,
      origin: `https://${relyingParty}`,
      ...(authenticator && { authenticator }),
    });
  const change = (domain: string, body: object) =>
    admin.send(`${TENANT}/${domain}`, {
      method: 'PATCH',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
  const guard = () => change(OLD, { policy: { registration: 'ticket' } });
  /** Somebody with a key of the old domain; registered before it was guarded. */
  const somebody = async (username: string) => {
    const tenancy = server.get(TenancyService);
    await tenancy.changeRelyingParty(OPERATOR, 'acme', NEW, { predecessor: null });
    await tenancy.changeRelyingParty(OPERATOR, 'acme', OLD, { policy: {} });
    const client = at(OLD);
    expect((await client.register(username)).status).toBe(200);
    await guard();
    await tenancy.changeRelyingParty(OPERATOR, 'acme', NEW, { predecessor: OLD });
    return at(NEW, client.authenticator);
  };
  const upgrade = (client: FidoClient, signedIn: Answer) =>
    client.completeRegistration(
      client.create({ ...signedIn, body: signedIn.body['upgrade'] as Answer['body'] }),
    );
  const manage = (body: object, relyingParty = NEW) =>
    admin.post('/userapi/manageusers', body, { 'x-servicefido-relyingparty': relyingParty });

  it('E0045R: the old domain must demand tickets or keys, be of the tenant, and be no part of a chain', async () => {
    await change(OLD, { policy: {} });
    const refused = async (domain: string, body: object) => {
      const before = await server.snapshot();
      const answer = await change(domain, body);
      expect(answer).toMatchObject({ status: 400, body: { errorCode: 'E0045R' } });
      expect(await server.snapshot()).toBe(before);
      return answer.body.errorMessage;
    };
    expect(await refused(NEW, { predecessor: OLD })).toContain('must demand tickets');
    await change(OLD, { policy: { registration: { mode: 'report', value: 'ticket' } } });
    await refused(NEW, { predecessor: OLD });
    await guard();
    await refused(NEW, { predecessor: NEW });
    await refused(NEW, { predecessor: 'globex.example' });
    await refused(NEW, { predecessor: 'none.example' });
    await refused(NEW, { predecessor: 7 });
    expect(await change(NEW, { predecessor: OLD })).toMatchObject({ body: { predecessor: OLD } });
    await refused(OLD, { policy: {} });
    expect((await change(OLD, { policy: { callers: 'keys' } })).status).toBe(200);
    await refused(OLD, { predecessor: NEW });
    const third = await admin.post(TENANT, { domain: 'third.example', predecessor: OLD });
    expect(third).toMatchObject({ status: 400, body: { errorCode: 'E0045R' } });
  });

  it('E0045R: the old domain is not removed while another takes its users over', async () => {
    const removed = await admin.send(`${TENANT}/${OLD}`, { method: 'DELETE' });
    expect(removed).toMatchObject({ status: 400, body: { errorCode: 'E0045R' } });
  });

  it('signs in with the old key: its RP ID, and origin, token and audit of the new domain', async () => {
    const anna = await somebody('anna');
    const begun = await anna.beginAuthentication('anna');
    expect(begun).toMatchObject({ status: 200, body: { rpId: OLD } });
    const signedIn = await anna.completeAuthentication(anna.assert(begun));
    expect(signedIn).toMatchObject({
      status: 200,
      body: { username: 'anna', userVerified: true, upgrade: { rp: { id: NEW } } },
    });
    expect(claimsOf(signedIn)).toMatchObject({ sub: 'anna', aud: NEW, tenant: 'acme' });
    const events = await server
      .get(Database)
      .query<{ domain: string }>(
        `SELECT r.domain FROM events e JOIN relying_parties r ON r.id = e.relying_party_id
       WHERE e.kind = 'authentication' ORDER BY e.id DESC LIMIT 1`,
      )
      .all();
    expect(events).toEqual([{ domain: NEW }]);
  });

  it('a user gets a key of the new domain on the way, and only that is asked for from then on', async () => {
    const ben = await somebody('ben');
    const signedIn = await ben.signIn('ben');
    expect(await upgrade(ben, signedIn)).toMatchObject({ status: 200, body: { username: 'ben' } });
    const begun = await ben.beginAuthentication('ben');
    expect(begun.body['rpId']).toBe(NEW);
    const again = await ben.completeAuthentication(ben.assert(begun));
    expect(again.status).toBe(200);
    expect(again.body).not.toHaveProperty('upgrade');
    expect((await at(OLD, ben.authenticator).signIn('ben')).status).toBe(200);
  });

  it('the old key signs in again and again while there is no new one', async () => {
    const cleo = await somebody('cleo');
    for (let times = 0; times < 3; times += 1) {
      expect(await cleo.signIn('cleo')).toMatchObject({ status: 200, body: { username: 'cleo' } });
    }
  });

  it('refuses what is not the old key, origin or ceremony', async () => {
    const dora = await somebody('dora');
    const stranger = at(NEW);
    await at(NEW, stranger.authenticator).register('stranger');
    const begun = await dora.beginAuthentication('dora');
    const elsewhere = dora.authenticator.get(begun.body as never, {
      origin: 'https://evil.example',
    });
    expectRefusal(await dora.completeAuthentication(elsewhere), 'E0029R');
    const atOld = await dora.beginAuthentication('dora');
    const here = new FidoClient(server.url, { relyingParty: OLD, origin: `https://${OLD}` });
    here.cookie = dora.cookie;
    expectRefusal(await here.completeAuthentication(dora.assert(atOld)), 'E0024R');
  });

  it('E0024R: a sign-in that began before the move ended does not complete after it', async () => {
    const emil = await somebody('emil');
    const begun = await emil.beginAuthentication('emil');
    await change(NEW, { predecessor: null });
    expectRefusal(await emil.completeAuthentication(emil.assert(begun)), 'E0024R');
    expect((await emil.beginAuthentication('emil')).status).toBe(403);
    expect((await at(OLD, emil.authenticator).signIn('emil')).status).toBe(200);
    await change(NEW, { predecessor: OLD });
    expect((await emil.signIn('emil')).status).toBe(200);
  });

  it('nobody takes a name of the old domain at the new one (first-only)', async () => {
    await somebody('finn');
    expectRefusal(await at(NEW).beginRegistration('finn'), 'E0043R');
    expect((await at(NEW).register('somebody else')).status).toBe(200);
  });

  it('a user who was not verified gets no upgrade', async () => {
    const gina = await somebody('gina');
    const signedIn = await gina.signIn('gina', { flags: () => 0x01 });
    expect(signedIn).toMatchObject({ status: 200, body: { userVerified: false } });
    expect(signedIn.body).not.toHaveProperty('upgrade');
  });

  it.each(['disableall', 'deldevice', 'deluser'])(
    '%s at the new domain acts on both',
    async (type) => {
      const name = `hana ${type}`;
      const hana = await somebody(name);
      const signedIn = await hana.signIn(name);
      const begun = await hana.signIn(name);
      expect((await upgrade(hana, signedIn)).status).toBe(200);
      const device = type === 'deldevice' ? { device: '*' } : {};
      const { body } = await manage({
        type,
        filter: name,
        ...device,
      });
      expect(body).toMatchObject({ credentials: 2 });
      expect((await hana.beginAuthentication(name)).status).toBe(403);
      expect((await at(OLD, hana.authenticator).beginAuthentication(name)).status).toBe(403);
      // What the old key vouched for a moment before is void too.
      expect((await upgrade(hana, begun)).status).not.toBe(200);
    },
  );

  it('a sign-in stands where its user can have no further key', async () => {
    const tia = await somebody('tia');
    const other = at(NEW, tia.authenticator);
    const policy = (more: object) =>
      change(NEW, { policy: { registration: 'first-only', ...more } });
    await policy({ maxCredentials: 1 });
    const [begun, meanwhile] = [
      await tia.beginAuthentication('tia'),
      await other.beginAuthentication('tia'),
    ];
    const earlier = await other.completeAuthentication(other.assert(meanwhile));
    expect((await upgrade(other, earlier)).status).toBe(200);
    const signedIn = await tia.completeAuthentication(tia.assert(begun));
    expect(signedIn).toMatchObject({ status: 200, body: { username: 'tia', userVerified: true } });
    expect(signedIn.body).not.toHaveProperty('upgrade');
    await policy({});
  });

  it('an old key that is disabled meanwhile vouches for no new one', async () => {
    const iris = await somebody('iris');
    const signedIn = await iris.signIn('iris');
    await manage({ type: 'disableall', filter: 'iris' }, OLD);
    expectRefusal(await upgrade(iris, signedIn), 'E0043R');
    expect((await iris.beginAuthentication('iris')).status).toBe(403);
  });

  it('an application moves its users with its application key, without a cookie', async () => {
    const jan = await somebody('jan');
    const { secret } = await issueKey(server.url, {
      name: 'shop',
      tenant: 'acme',
      scopes: ['ceremonies'],
      relyingParties: [NEW],
    });
    const headers = { authorization: `Bearer ${secret}` };
    const { beginAuthentication, completeAuthentication, completeRegistration } = PATHS.certify;
    const begun = await jan.post(beginAuthentication, { username: 'jan' }, headers);
    const { ceremony } = begun.body;
    const done = await jan.post(
      completeAuthentication,
      { ...jan.assert(begun), ceremony },
      headers,
    );
    expect(done.status).toBe(200);
    const options = done.body['upgrade'] as Answer['body'];
    const made = jan.create({ ...done, body: options });
    const body = { ...made, ceremony: options['ceremony'] };
    expect((await jan.post(completeRegistration, body, headers)).status).toBe(200);
  });

  it('tells how far the move is, and an invoice counts each person once', async () => {
    const answer = await admin.get(`/userapi/adoption?relyingParty=${NEW}`);
    const { move } = answer.body as { move?: { from: string; users: number; moved: number } };
    expect(move).toMatchObject({ from: OLD });
    const kim = await somebody('kim');
    const active = async () => {
      server.clock.advance(HOUR_MS);
      const date = new Date(server.clock.now()).toISOString().slice(0, 10);
      const { body } = await admin.get(`/userapi/invoice?date=${date}&tenant=acme`);
      const { invoice } = body as {
        invoice: { tenants: { relyingParties: { activeUsers: number }[] }[] };
      };
      return invoice.tenants
        .flatMap(({ relyingParties }) => relyingParties)
        .reduce((sum, { activeUsers }) => sum + activeUsers, 0);
    };
    const before = await active();
    const signedIn = await kim.signIn('kim');
    await upgrade(kim, signedIn);
    await kim.signIn('kim');
    await at(OLD, kim.authenticator).signIn('kim');
    expect(await active()).toBe(before);
    const { body } = await admin.get('/userapi/adoption', { 'x-servicefido-relyingparty': NEW });
    expect(body['move']).toEqual({
      from: OLD,
      users: Number(move?.users) + 1,
      moved: Number(move?.moved) + 1,
    });
    const none = await admin.get('/userapi/adoption?relyingParty=globex.example');
    expect(none.body).not.toHaveProperty('move');
  });
});
