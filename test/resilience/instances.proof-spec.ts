import { createRemoteJWKSet, jwtVerify } from 'jose';
import { SigningKeys } from '../../src/fido/tokens/signing-keys.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { adminClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { describeWith } from '../support/needs.js';
import { countOf, holdingsOf, relyingPartyOf } from '../support/rows.js';
import { createServerDatabase } from '../support/server-database.js';
import { SITES, Site } from '../support/site.js';
import { TestServer } from '../support/test-server.js';

const CLUSTER = SITES.at(-1) ?? '';

describeWith('MariaDB', 'Redis')('two instances that share MariaDB and Redis', () => {
  let site: Site;
  beforeAll(async () => {
    site = await Site.start(CLUSTER);
  });
  afterAll(() => site.stop());

  /** The same user with the same session at both instances. */
  function userAtBoth(relyingParty = 'localhost') {
    const origin = relyingParty === 'localhost' ? site.first.url : `https://${relyingParty}`;
    const here = new FidoClient(site.turn(0).url, { relyingParty, origin });
    const { authenticator } = here;
    const there = new FidoClient(site.turn(1).url, { relyingParty, origin, authenticator });
    return { here, there };
  }

  it('two instances that start at the same moment create one tenant and one set of secrets', async () => {
    for (const table of ['tenants', 'relying_parties']) {
      expect(await countOf(site.first, table)).toBe(1);
    }
    const secret = "secrets WHERE name = 'session-cookie'";
    expect(await countOf(site.first, secret)).toBe(1);
  });

  it('an instance completes ceremonies of both kinds that another began', async () => {
    const { here, there } = userAtBoth();
    const begun = await here.beginRegistration('traveller');
    there.cookie = here.cookie;
    expect((await there.completeRegistration(here.create(begun))).status).toBe(200);
    const back = await there.beginAuthentication('traveller');
    const signedIn = await here.completeAuthentication(here.assert(back));
    expect(signedIn).toMatchObject({ status: 200, body: { username: 'traveller' } });
    expect((await there.completeAuthentication(here.assert(back))).status).toBe(408);
  });

  it('a challenge that was used at another instance is refused and removes no other ceremony', async () => {
    const { here, there } = userAtBoth();
    await here.register('repeater');
    there.cookie = here.cookie;
    const used = here.assert(await here.beginAuthentication('repeater'));
    expect((await here.completeAuthentication(used)).status).toBe(200);
    const pending = here.assert(await here.beginAuthentication('repeater'));
    expect((await there.completeAuthentication(used)).body).toMatchObject({ errorCode: 'E0024R' });
    expect((await there.completeAuthentication(pending)).status).toBe(200);
  });

  it('an instance verifies the tokens of another by its own published keys', async () => {
    const { here, there } = userAtBoth();
    await here.register('bearer');
    await eventually(() => {
      expect(site.turn(1).get(SigningKeys).jwks()).toEqual(site.turn(0).get(SigningKeys).jwks());
    });
    for (const [issuer, verifier] of [
      [here, site.turn(1)],
      [there, site.turn(0)],
    ] as const) {
      const { token } = (await issuer.signIn('bearer')).body;
      const keys = createRemoteJWKSet(new URL(`${verifier.url}/.well-known/jwks.json`), {
        timeoutDuration: 120_000,
      });
      const { payload } = await jwtVerify(String(token), keys, { audience: 'localhost' });
      expect(payload.sub).toBe('bearer');
    }
  });

  it('an instance learns within seconds of a relying party added at another', async () => {
    await site.turn(0).addRelyingParty('late', { domain: 'late.example' });
    const { there } = userAtBoth('late.example');
    await eventually(async () => {
      expect((await there.beginRegistration('early-bird')).status).toBe(200);
    });
    expect((await there.register('early-bird')).status).toBe(200);
  });

  it('an instance refuses at once a relying party that was removed at another', async () => {
    const domain = 'removed.example';
    await site.turn(0).addRelyingParty('removed', { domain });
    const { here, there } = userAtBoth(domain);
    expect((await here.register('victim')).status).toBe(200);
    await eventually(async () => expect((await there.signIn('victim')).status).toBe(200));
    const rp = relyingPartyOf(site.first, domain);
    const fresh = userAtBoth(domain).there;
    const signingUp = fresh.create(await fresh.beginRegistration('newcomer'));
    const signingIn = there.assert(await there.beginAuthentication('victim'));

    await site.turn(0).get(TenancyService).removeTenant(site.turn(0).call, 'removed');
    const refused = await Promise.all([
      fresh.completeRegistration(signingUp),
      there.completeAuthentication(signingIn),
    ]);
    for (const { status } of refused) expect([400, 404, 408]).toContain(status);
    expect([400, 403]).toContain((await there.beginAuthentication('victim')).status);
    const begun = await there.beginRegistration('victim');
    expect(begun.body['excludeCredentials'] ?? []).toEqual([]);
    await eventually(async () => {
      expect(await holdingsOf(site.first, rp)).toEqual({ users: 0, credentials: 0 });
      expect((await there.beginRegistration('victim')).body.errorCode).toBe('E0025R');
    });
  });

  it('two instances begin ten registrations with a ticket in total, and complete one', async () => {
    const domain = 'tickets.example';
    const policy = { registration: 'ticket' } as const;
    await site.turn(0).addRelyingParty('tickets', { domain, policy });
    const { there } = userAtBoth(domain);
    await eventually(async () => {
      expect((await there.beginRegistration('guest')).body.errorCode).toBe('E0043R');
    });
    const issued = await adminClient(site.turn(1).url).post('/userapi/tickets', {
      username: 'guest',
      relyingParty: domain,
    });
    const { ticket } = issued.body;
    const users = Array.from({ length: 20 }, (_, n) => {
      const both = userAtBoth(domain);
      return n % 2 ? both.here : both.there;
    });
    const begun = await Promise.all(
      users.map(async (user) => {
        const options = await user.beginRegistration('guest', { ticket });
        return { user, options };
      }),
    );
    const admitted = begun.filter(({ options }) => options.status === 200);
    expect(admitted).toHaveLength(10);
    const completed = await Promise.all(
      admitted.map(({ user, options }) => user.completeRegistration(user.create(options))),
    );
    expect(completed.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await holdingsOf(site.first, relyingPartyOf(site.first, domain))).toEqual({
      users: 1,
      credentials: 1,
    });
  });
});

it('a restart on SQLite keeps users, keys and cookies', async () => {
  const database = await createServerDatabase('SQLite');
  try {
    const before = await TestServer.start({ database });
    const client = new FidoClient(before.url, { origin: 'http://localhost:8080' });
    expect((await client.register('faithful')).status).toBe(200);
    const keys = before.get(SigningKeys).jwks();
    await before.stop();

    const after = await TestServer.start({ database });
    const { authenticator, origin } = client;
    const again = new FidoClient(after.url, { authenticator, origin });
    again.cookie = client.cookie;
    const signedIn = await again.signIn('faithful');
    expect(signedIn.status).toBe(200);
    expect(signedIn.headers.getSetCookie()).toEqual([]);
    expect(after.get(SigningKeys).jwks()).toEqual(keys);
    await after.stop();
  } finally {
    await database.remove();
  }
});
