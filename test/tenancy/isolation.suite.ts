import {
  CredentialReader,
  credentialHashOf,
  type StoredCredential,
} from '../../src/users/credentials/credential-reader.js';
import { SignInWriter } from '../../src/users/credentials/sign-in-writer.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { base64url, sha256 } from '../../packages/testing/src/structures.js';
import { registerWithId } from '../support/chosen-id.js';
import { adminClient } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient, familiesOn, PATHS, type Family } from '../support/fido-client.js';
import { countOf, relyingPartyOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

/** Two tenants; one RP ID is a suffix of the other. The first tenant has a second relying party. */
const ACME = 'acme.example';
const ACME_SHOP = 'acme-shop.example';
const RIVAL = 'rival.acme.example';

describe.each(DATABASES)('isolation of tenants on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    await server.addRelyingParty('acme', { domain: ACME });
    await server.addRelyingParty('acme', { domain: ACME_SHOP });
    await server.addRelyingParty('rival', { domain: RIVAL });
  });
  afterAll(() => server.stop());

  const at = (relyingParty: string, more: { family?: Family; with?: SoftAuthenticator } = {}) =>
    new FidoClient(server.url, {
      relyingParty,
      ...(more.family ? { family: more.family } : {}),
      ...(more.with ? { authenticator: more.with } : {}),
    });

  describe.each([
    ['another tenant', RIVAL],
    ['another relying party of the same tenant', ACME_SHOP],
  ])('against %s', (_, other) => {
    it('answers about another tenant’s user as about an unknown user', async () => {
      const username = `only-here-${other}`;
      expect((await at(ACME).register(username)).status).toBe(200);
      const elsewhere = await at(other).beginAuthentication(username);
      const nobody = await at(other).beginAuthentication('nobody-at-all');
      expect(elsewhere.status).toBe(403);
      expect({ ...elsewhere.body, requestId: '' }).toEqual({ ...nobody.body, requestId: '' });
    });

    it('separates handle, excluded keys and display name of users of the same name', async () => {
      const username = `same-name-${other}`;
      const here = at(ACME);
      const there = at(other);
      await here.register(username, { displayName: 'Here' });
      const begun = await there.beginRegistration(username, { displayName: 'There' });
      expect(begun.body['excludeCredentials']).toEqual([]);
      expect((await there.completeRegistration(there.create(begun))).status).toBe(200);
      const [mine] = here.authenticator.credentials;
      const [theirs] = there.authenticator.credentials;
      expect(theirs?.userHandle).not.toBe(mine?.userHandle);
      expect((await here.signIn(username)).body['displayName']).toBe('Here');
      expect((await there.signIn(username)).body['displayName']).toBe('There');
      const { body } = await here.beginAuthentication(username);
      expect(body['allowCredentials']).toMatchObject([{ id: base64url(mine?.id as Buffer) }]);
    });

    it.each([
      ['with its own RP ID', undefined],
      ['with the RP ID of the other', sha256(other)],
    ])('refuses a credential of one tenant at the other %s (E0033R)', async (name, rpIdHash) => {
      const username = `stray-${other}-${name}`;
      const here = at(ACME);
      const there = at(other);
      await here.register(username);
      await there.register(username);
      const begun = await there.beginAuthentication(username);
      const stray = here.authenticator.get(
        { challenge: String(begun.body['challenge']) },
        { origin: there.origin, tweaks: rpIdHash ? { rpIdHash } : {} },
      );
      const before = await server.snapshot();
      const answer = await there.completeAuthentication(stray);
      expect(answer).toMatchObject({ status: 404, body: { errorCode: 'E0033R' } });
      expect(await server.snapshot()).toBe(before);
    });

    it('registers one credential ID for both tenants, each with its own public key', async () => {
      const username = `same-id-${other}`;
      const id = sha256(`credential of ${other}`);
      const here = at(ACME);
      const there = at(other);
      expect((await registerWithId(here, username, id)).status).toBe(200);
      expect((await registerWithId(there, username, id)).status).toBe(200);
      expect((await here.signIn(username)).body['signCount']).toBe(2);
      expect((await there.signIn(username)).body['signCount']).toBe(2);

      const begun = await there.beginAuthentication(username);
      const forged = here.authenticator.get(
        { challenge: String(begun.body['challenge']) },
        { origin: there.origin, tweaks: { rpIdHash: sha256(other), userHandle: null } },
      );
      const answer = await there.completeAuthentication(forged);
      expect(answer).toMatchObject({ status: 401, body: { errorCode: 'E0032R' } });
      expect((await there.signIn(username)).body['signCount']).toBe(3);
    });

    describe.each(familiesOn(on))('on the paths of family %s', (family) => {
      it('voids a registration that began at the other tenant (E0024R)', async () => {
        const client = at(ACME, { family });
        const begun = await client.beginRegistration(`moved-${family}-${other}`);
        const body = client.create(begun);
        const before = await server.snapshot();
        const headers = { 'x-servicefido-relyingparty': other };
        const path = PATHS[family].completeRegistration;
        const moved = await client.post(path, body, headers);
        expect(moved).toMatchObject({ status: 408, body: { status: false, errorCode: 'E0024R' } });
        expect(await client.completeRegistration(body)).toMatchObject({ status: 408 });
        expect(await server.snapshot()).toBe(before);
      });

      it('voids a sign-in that began at the other tenant (E0024R)', async () => {
        const username = `moved-in-${family}-${other}`;
        const client = at(ACME, { family });
        await client.register(username);
        await at(other, { with: new SoftAuthenticator() }).register(username);
        const body = client.assert(await client.beginAuthentication(username));
        const before = await server.snapshot();
        const headers = { 'x-servicefido-relyingparty': other };
        const path = PATHS[family].completeAuthentication;
        const moved = await client.post(path, body, headers);
        expect(moved).toMatchObject({ status: 408, body: { status: false, errorCode: 'E0024R' } });
        expect(await client.completeAuthentication(body)).toMatchObject({ status: 408 });
        expect(await server.snapshot()).toBe(before);
      });
    });

    it('refuses client data with an origin of the other tenant (E0029R)', async () => {
      const client = new FidoClient(server.url, {
        relyingParty: ACME,
        origin: `https://${other}`,
      });
      const begun = await client.beginRegistration(`foreign-page-${other}`);
      const answer = await client.completeRegistration(client.create(begun));
      expect(answer).toMatchObject({ status: 401, body: { errorCode: 'E0029R' } });
    });

    it('refuses a registration with a token of the other tenant (E0042R)', async () => {
      const username = `token-${other}`;
      const here = at(ACME);
      const there = at(other);
      await here.register(username);
      await there.register(username);
      const { token } = (await here.signIn(username)).body;
      const bearer = { authorization: `Bearer ${String(token)}` };
      await demand('first-only');
      try {
        const body = { username, displayName: username };
        const path = PATHS.certify.beginRegistration;
        const refused = await there.post(path, body, bearer);
        expect(refused).toMatchObject({ status: 401, body: { errorCode: 'E0042R' } });
        const own = {
          authorization: `Bearer ${String((await there.signIn(username)).body['token'])}`,
        };
        expect((await there.post(path, body, own)).status).toBe(200);
      } finally {
        await demand('open');
      }
    });

    it('refuses a registration with a ticket of the other tenant (E0043R)', async () => {
      const username = `ticket-${other}`;
      const request = { username, relyingParty: ACME };
      const { body } = await adminClient(server.url).post('/userapi/tickets', request);
      const { ticket } = body;
      await demand('ticket');
      try {
        const refused = await at(other).beginRegistration(username, { ticket });
        expect(refused).toMatchObject({ status: 403, body: { errorCode: 'E0043R' } });
        const issued = await adminClient(server.url).post('/userapi/tickets', {
          username,
          relyingParty: other,
        });
        const own = issued.body['ticket'];
        expect(await at(other).beginRegistration(username, { ticket: own })).toMatchObject({
          status: 200,
          body: { status: 'ok' },
        });
      } finally {
        await demand('open');
      }
    });

    /** The other relying party's rule about who may register. */
    async function demand(registration: 'open' | 'first-only' | 'ticket'): Promise<void> {
      const tenant = other === RIVAL ? 'rival' : 'acme';
      const tenancy = server.get(TenancyService);
      await tenancy.changeRelyingParty(server.call, tenant, other, { policy: { registration } });
    }
  });

  it('refuses the user handle of another tenant’s user of the same name (E0010R)', async () => {
    const here = at(ACME);
    const there = at(RIVAL);
    await here.register('handle');
    await there.register('handle');
    const foreign = here.authenticator.credentials[0]?.userHandle as string;
    const answer = await there.signIn('handle', { userHandle: foreign });
    expect(answer).toMatchObject({ status: 401, body: { errorCode: 'E0010R' } });
  });

  it('stores tenant and relying party in every row', async () => {
    await at(ACME).register('row');
    await at(RIVAL).register('row');
    for (const domain of [ACME, RIVAL]) {
      const { id, tenantId } = relyingPartyOf(server, domain);
      const own = 'tenant_id = ? AND relying_party_id = ? AND username = ?';
      const name = Buffer.from('row');
      expect(await countOf(server, `users WHERE ${own}`, tenantId, id, name)).toBe(1);
      expect(
        await countOf(server, `events WHERE kind = 'registration' AND ${own}`, tenantId, id, name),
      ).toBe(1);
    }
    const stray = `credentials c JOIN users u ON u.id = c.user_id
      WHERE c.relying_party_id <> u.relying_party_id OR c.tenant_id <> u.tenant_id`;
    expect(await countOf(server, stray)).toBe(0);
  });

  it('records no sign-in after the relying party was deleted, at any stage', async () => {
    await server.addRelyingParty('acme', { domain: 'closing.example' });
    const rp = relyingPartyOf(server, 'closing.example');
    const client = at('closing.example');
    await client.register('late');
    const id = client.authenticator.credentials[0]?.id as Buffer;
    const hash = credentialHashOf(id);
    const known = (await server.get(CredentialReader).findByHash(rp, hash)) as StoredCredential;
    await server.get(TenancyService).removeRelyingParty(server.call, 'acme', 'closing.example');
    const use = {
      signCount: 9,
      backedUp: false,
      initializesUv: false,
      ceremony: Buffer.alloc(16, 7),
      anyCounter: false,
      backupEligible: false,
    };
    expect(await server.get(SignInWriter).recordUse(rp, known, use)).toBeUndefined();
  });
});
