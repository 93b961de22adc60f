import { randomBytes } from 'node:crypto';
import { jest } from '@jest/globals';
import { RegistrationWriter } from '../../src/users/credentials/registration-writer.js';
import { Database } from '../../src/platform/database/database.js';
import type { RelyingParty } from '../../src/tenancy/relying-party.js';
import { TenantRemoval } from '../../src/tenancy/changes/tenant-removal.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { fireTogether, type Shot } from '../support/barrier.js';
import { registerWithId } from '../support/chosen-id.js';
import { adminClient } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { settle } from '../support/settled-users.js';
import { holdingsOf, relyingPartyOf, rowsOf } from '../support/rows.js';
import { FAST, TestServer } from '../support/test-server.js';

const NOTHING = { users: 0, credentials: 0 };

describe.each(DATABASES)('removal of tenants and relying parties on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on, speed: FAST });
  });
  afterAll(() => server.stop());

  const at = (relyingParty: string) => new FidoClient(server.url, { relyingParty });

  /** A tenant of this name with two relying parties, and a neighbour with one; a user `eve` at each. */
  async function newUsers(name: string) {
    const domains = [`${name}.example`, `shop.${name}.example`, `${name}.example.org`];
    const [main = '', shop = '', neighbour = ''] = domains;
    await server.addRelyingParty(name, { domain: main });
    await server.addRelyingParty(name, { domain: shop });
    await server.addRelyingParty(`${name}-neighbour`, { domain: neighbour });
    const clients = domains.map(at);
    for (const client of clients) expect((await client.register('eve')).status).toBe(200);
    return { main, shop, neighbour, clients: clients as [FidoClient, FidoClient, FidoClient] };
  }

  const rowsAt = async ({ id }: RelyingParty) => ({
    users: await rowsOf(server, 'SELECT * FROM users WHERE relying_party_id = ?', id),
    credentials: await rowsOf(server, 'SELECT * FROM credentials WHERE relying_party_id = ?', id),
  });

  const remove = async (path: string) => {
    const answer = await adminClient(server.url).send(`/tenantapi/tenants/${path}`, {
      method: 'DELETE',
    });
    expect(answer).toMatchObject({ status: 200, body: { status: 'ok', removed: true } });
  };

  it('deletes a tenant with all its data and no byte of its neighbour', async () => {
    const { main, shop, neighbour, clients } = await newUsers('gone');
    const [rpMain, rpShop, rpNeighbour] = [main, shop, neighbour].map((domain) =>
      relyingPartyOf(server, domain),
    ) as [RelyingParty, RelyingParty, RelyingParty];
    const kept = await rowsAt(rpNeighbour);
    await remove('gone');
    for (const client of clients.slice(0, 2)) {
      for (const answer of [
        await client.beginAuthentication('eve'),
        await client.beginRegistration('eve'),
      ]) {
        expect(answer).toMatchObject({ status: 400, body: { errorCode: 'E0025R' } });
        expect(answer.body['domains']).not.toContain(main);
        expect(answer.body['domains']).toContain(neighbour);
      }
    }
    await eventually(async () => {
      expect(await holdingsOf(server, rpMain)).toEqual(NOTHING);
      expect(await holdingsOf(server, rpShop)).toEqual(NOTHING);
    });
    expect(await rowsAt(rpNeighbour)).toEqual(kept);
    expect((await clients[2].signIn('eve')).status).toBe(200);
  });

  it('deletes one relying party and keeps the others of its tenant', async () => {
    const { main, shop, clients } = await newUsers('half');
    const rpMain = relyingPartyOf(server, main);
    const rpShop = relyingPartyOf(server, shop);
    const kept = await rowsAt(rpShop);
    await remove(`half/relying-parties/${main}`);
    expect((await clients[0].signIn('eve')).body.errorCode).toBe('E0025R');
    await eventually(async () => expect(await holdingsOf(server, rpMain)).toEqual(NOTHING));
    expect(await rowsAt(rpShop)).toEqual(kept);
    for (const client of clients.slice(1)) expect((await client.signIn('eve')).status).toBe(200);
  });

  it('keeps the events that invoices need', async () => {
    const { main, clients } = await newUsers('billed');
    const { id } = relyingPartyOf(server, main);
    await clients[0].signIn('eve');
    await remove('billed');
    const events = 'SELECT kind FROM events WHERE relying_party_id = ? ORDER BY at, id';
    await eventually(async () => {
      const left = await rowsOf(server, 'SELECT id FROM users WHERE relying_party_id = ?', id);
      expect(left).toEqual([]);
    });
    const kinds = (await rowsOf<{ kind: string }>(server, events, id)).map(({ kind }) => kind);
    expect(kinds.sort()).toEqual(['authentication', 'registration', 'user-created']);
  });

  it('frees the domain at once, and its next owner finds no data of the former one', async () => {
    const { main, clients } = await newUsers('reborn');
    const [old] = clients;
    const { id: credentialId } = old.authenticator.credentials[0] as { id: Buffer };
    const pendingIn = old.assert(await old.beginAuthentication('eve'));
    const fresh = at(main);
    const pendingUp = fresh.create(await fresh.beginRegistration('mallory'));
    await remove('reborn');
    await server.addRelyingParty('heir', { domain: main });

    expect(await old.completeAuthentication(pendingIn)).toMatchObject({ status: 408 });
    expect(await fresh.completeRegistration(pendingUp)).toMatchObject({ status: 408 });
    expect((await old.beginAuthentication('eve')).status).toBe(403);
    const begun = await at(main).beginRegistration('eve');
    expect(begun.body['excludeCredentials']).toEqual([]);
    const heir = at(main);
    expect((await registerWithId(heir, 'eve', credentialId)).status).toBe(200);
    expect((await heir.signIn('eve')).status).toBe(200);
    const handle = heir.authenticator.credentials[0]?.userHandle;
    expect(handle).not.toBe(old.authenticator.credentials[0]?.userHandle);
    const { users, credentials } = await eventually(async () => {
      const holdings = await holdingsOf(server, relyingPartyOf(server, main));
      expect(holdings).toEqual({ users: 1, credentials: 1 });
      return holdings;
    });
    expect([users, credentials]).toEqual([1, 1]);
  });

  it('refuses each of a hundred ceremonies in progress', async () => {
    const { main, clients } = await newUsers('flight');
    const rp = relyingPartyOf(server, main);
    const [holder] = clients;
    const bodies = await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        const joining = at(main);
        const created = joining.create(await joining.beginRegistration(`joining-${n}`));
        const returning = new FidoClient(server.url, {
          relyingParty: main,
          origin: holder.origin,
          authenticator: holder.authenticator,
        });
        const asserted = returning.assert(await returning.beginAuthentication('eve'));
        return () =>
          Promise.all([
            joining.completeRegistration(created),
            returning.completeAuthentication(asserted),
          ]);
      }),
    );
    await remove('flight');
    const answers = (await Promise.all(bodies.map((complete) => complete()))).flat();
    expect(answers).toHaveLength(100);
    for (const { body } of answers) expect(body.errorCode).toBe('E0025R');
    await eventually(async () => expect(await holdingsOf(server, rp)).toEqual(NOTHING));
  });

  it('leaves no row of registrations that race with it', async () => {
    const { main } = await newUsers('race');
    const rp = relyingPartyOf(server, main);
    const shots = await Promise.all(
      Array.from({ length: 30 }, async (_, n): Promise<Shot> => {
        const client = at(main);
        const body = client.create(await client.beginRegistration(`racer-${n}`));
        const headers = { ...client.headers, cookie: `${client.cookie}` };
        return { url: server.url + client.paths.completeRegistration, body, headers };
      }),
    );
    const [answers] = await Promise.all([fireTogether(shots), remove('race')]);
    // 503 was seen once, on an overloaded machine with MariaDB; its cause was not found.
    for (const { status } of answers) expect([200, 400, 408, 503]).toContain(status);
    await eventually(async () => expect(await holdingsOf(server, rp)).toEqual(NOTHING));
  });

  it('deletes rows in small units in the background', async () => {
    const domain = 'crowd.example';
    await server.addRelyingParty('crowd', { domain });
    const rp = relyingPartyOf(server, domain);
    await crowd(rp, 450);
    expect(await holdingsOf(server, rp)).toEqual({ users: 450, credentials: 450 });
    // Nothing of earlier tests is left to delete.
    await server.get(TenantRemoval).catchUp();
    const commit = jest.spyOn(server.get(Database), 'commit');
    await server.get(TenancyService).removeTenant(server.call, 'crowd');
    await eventually(async () => expect(await holdingsOf(server, rp)).toEqual(NOTHING));
    const deletions = commit.mock.calls.filter(([unit]) =>
      unit.some((step) => 'sql' in step && step.sql.startsWith('DELETE FROM users')),
    );
    expect(deletions).toHaveLength(3);
    for (const [, options] of deletions) expect(options).toEqual({ background: true });
    commit.mockRestore();
  });

  it('completes the deletion of an instance that died', async () => {
    const { main, shop } = await newUsers('orphaned');
    const rpMain = relyingPartyOf(server, main);
    const rpShop = relyingPartyOf(server, shop);
    const close = 'UPDATE relying_parties SET closed_at = 1 WHERE tenant_id = ?';
    await server.get(Database).commit([{ sql: close, params: [rpMain.tenantId] }]);
    await eventually(async () => {
      expect(await holdingsOf(server, rpMain)).toEqual(NOTHING);
      expect(await holdingsOf(server, rpShop)).toEqual(NOTHING);
    });
  });

  it('deletes everything of tenants that are removed in quick succession', async () => {
    const names = Array.from({ length: 12 }, (_, n) => `burst-${n}`);
    for (const name of names) await server.addRelyingParty(name, { domain: `${name}.example` });
    const rps = names.map((name) => relyingPartyOf(server, `${name}.example`));
    for (const rp of rps) await crowd(rp, 3);
    for (const name of names) await server.get(TenancyService).removeTenant(server.call, name);
    await eventually(async () => {
      for (const rp of rps) expect(await holdingsOf(server, rp)).toEqual(NOTHING);
    });
  });

  async function crowd(rp: RelyingParty, size: number): Promise<void> {
    const writer = server.get(RegistrationWriter);
    const stored = Array.from({ length: size }, (_, n) =>
      writer.register(rp, newUser(`user-${n}`), newCredential(), {
        maxCredentials: 1,
        reports: [],
      }),
    );
    expect((await Promise.all(stored)).every(Boolean)).toBe(true);
  }
});

const newUser = (username: string) => ({
  id: undefined,
  username,
  displayName: username,
  userHandle: randomBytes(32),
  lockouts: 0,
});

const newCredential = () => ({
  kept: undefined,
  registrationFlags: 0x41,
  attestationAsked: false,
  residentKey: undefined,
  madeUnderAuthority: false,
  credentialId: randomBytes(32),
  publicKey: Buffer.from([0xa0]),
  algorithm: -7,
  signCount: 0,
  aaguid: Buffer.alloc(16),
  deviceName: 'device',
  deviceMetadata: null,
  transports: '',
  attestationFormat: 'none',
  attestationType: 'none',
  attestationTrusted: false,
  serialNumber: null,
  userVerified: true,
  backupEligible: false,
  backedUp: false,
  ceremony: randomBytes(16),
  origin: null,
});

describe.each(DATABASES)('the job that deletes what was removed, on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on, speed: FAST });
    // Only the test runs it.
    await server.get(TenantRemoval).onModuleDestroy();
  });
  afterAll(() => server.stop());

  it.each([
    ['a', 'z'],
    ['z', 'a'],
  ])('deletes the small tenant %s while the large one %s is under way', async (small, large) => {
    const closed = async (tenant: string, users: number) => {
      const domain = `${tenant}-${users}.example`;
      await server.addRelyingParty(`${tenant}-${users}`, { domain });
      const rp = relyingPartyOf(server, domain);
      const allUsers = Array.from({ length: users }, (_, n) => ({ username: `user-${n}` }));
      await settle(server, rp, allUsers);
      await server
        .get(TenancyService)
        .removeRelyingParty(server.call, `${tenant}-${users}`, domain);
      return rp;
    };
    const largeRp = await closed(large, 450);
    const smallRp = await closed(small, 1);
    let turns = 0;
    await server.get(TenantRemoval).catchUp(() => (turns += 1) <= 2);
    expect(await holdingsOf(server, smallRp)).toEqual(NOTHING);
    expect(await holdingsOf(server, largeRp)).toMatchObject({ users: 250 });
    await server.get(TenantRemoval).catchUp();
    expect(await holdingsOf(server, largeRp)).toEqual(NOTHING);
  });
});
