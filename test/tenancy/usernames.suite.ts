import { randomUUID } from 'node:crypto';
import { decodeJwt } from 'jose';
import { InvitationIssue } from '../../src/invitations/invitation-issue.js';
import { RefusalLog } from '../../src/fido/refusals/refusal-log.js';
import type { RelyingPartyPolicy } from '../../src/tenancy/policy/policy.js';
import type { RelyingParty } from '../../src/tenancy/relying-party.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { RelyingPartyCache } from '../../src/tenancy/scope/relying-party-cache.js';
import { FoldingJob } from '../../src/tenancy/usernames/folded-names.js';
import { AdminClient } from '../support/admin-client.js';
import { issueKey } from '../support/application-keys.js';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import type { Answer } from '../support/client.js';
import {
  DATABASES,
  EVERY_DATABASE,
  type DatabaseName,
  type TestDatabase,
} from '../support/databases.js';
import { changingCall } from '../support/changing-call.js';
import { sendForm } from '../support/console-form.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { postList } from '../support/list-upload.js';
import { linkUsers, settle } from '../support/settled-users.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { countOf, relyingPartyOf, rowsOf } from '../support/rows.js';
import { createServerDatabase } from '../support/server-database.js';
import { TestServer } from '../support/test-server.js';

const FOLDED = { usernames: 'case-insensitive' } as const;
const TENANT = '/tenantapi/tenants/acme/relying-parties';

let opened = 0;

/** A relying party of its own. */
async function placeOn(server: TestServer, policy: RelyingPartyPolicy = {}) {
  const domain = `place-${(opened += 1)}.example`;
  const enrolmentUrl = `https://${domain}/enrol`;
  await server.addRelyingParty('acme', { domain, policy, enrolmentUrl });
  const newUser = (authenticator?: SoftAuthenticator) =>
    new FidoClient(server.url, {
      relyingParty: domain,
      ...(authenticator && { authenticator }),
    });
  const admin = new AdminClient(server.url, domain);
  const patch = (body: object, headers: Record<string, string> = {}) =>
    admin.patch(`${TENANT}/${domain}`, body, headers);
  const registered = async (name: string, more: object = {}) => {
    const client = newUser();
    expect([name, (await client.register(name, more)).status]).toEqual([name, 200]);
    return client;
  };
  return { domain, newUser, admin, patch, registered };
}

describe.each(DATABASES)('policy "usernames": "case-insensitive", on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    // Only the tests fold names.
    await server.get(FoldingJob).onModuleDestroy();
  });
  afterAll(() => server.stop());

  it('is refused with the list of colliding names, and changes nothing (E0045R)', async () => {
    const { registered, patch, newUser } = await placeOn(server);
    for (const name of ['Anna', 'anna', 'STRASSE', 'straße', 'Ödön', 'Odon', 'ben']) {
      await registered(name);
    }
    const before = await server.snapshot();
    const refused = await patch({ policy: FOLDED });
    expect(refused).toMatchObject({ status: 400, body: { errorCode: 'E0045R' } });
    expect(refused.body['collisions']).toEqual([
      ['Anna', 'anna'],
      ['STRASSE', 'straße'],
    ]);
    expect(refused.body).toMatchObject({
      collisionsTotal: 2,
      errorMessage: expect.stringContaining(
        '"Anna" and "anna" would be one user, and so would others',
      ),
    });
    expect(await server.snapshot()).toBe(before);
    expect((await newUser().beginAuthentication('ANNA')).status).toBe(403);
    expectRefusal(await patch({ policy: { usernames: 'ascii' } }), 'E0045R', 400);
  });

  it('reports the names to an application key only with the permission "users:read"', async () => {
    const { registered, patch, domain } = await placeOn(server);
    await registered('Anna');
    await registered('anna');
    const answerTo = async (...scopes: string[]) => {
      const key = { name: 'shop', tenant: 'acme', scopes, relyingParties: [domain] };
      const { secret } = await issueKey(server.url, key);
      return patch({ policy: FOLDED }, { authorization: `Bearer ${secret}` });
    };
    const blind = await answerTo('policy:write');
    expect(blind).toMatchObject({ status: 400, body: { collisionsTotal: 1 } });
    expect(JSON.stringify(blind.body)).not.toContain('nna');
    expect((await answerTo('policy:write', 'users:read')).body['collisions']).toEqual([
      ['Anna', 'anna'],
    ]);
  });

  it('signs a user in with any case, and answers have the registered spelling', async () => {
    const { registered, patch, domain, newUser } = await placeOn(server);
    const anna = await registered('Anna@Example.com');
    expect((await patch({ policy: FOLDED })).body).toMatchObject({ policy: FOLDED });
    const { status, body } = await anna.signIn('ANNA@example.COM');
    expect([status, body['username'], decodeJwt(String(body['token'])).sub]).toEqual([
      200,
      'Anna@Example.com',
      'Anna@Example.com',
    ]);
    const second = await newUser().beginRegistration('anna@EXAMPLE.com');
    expect(second.body).toMatchObject({
      user: { name: 'Anna@Example.com' },
      excludeCredentials: [{ type: 'public-key' }],
    });
    expect((await newUser().register('anna@EXAMPLE.com')).body).toMatchObject({
      username: 'Anna@Example.com',
      signals: { name: 'Anna@Example.com' },
    });
    expect(await countOf(server, 'users WHERE relying_party_id = ?', rpId(domain))).toBe(1);
    expect((await newUser().beginAuthentication('ánna@example.com')).status).toBe(403);
  });

  const rpId = (domain: string) => relyingPartyOf(server, domain).id;

  it('registers one of two simultaneous spellings of a name', async () => {
    const { newUser } = await placeOn(server, FOLDED);
    for (let round = 0; round < 5; round += 1) {
      const clients = ['zoë', 'ZOË', 'Zoë'].map((name) => ({ client: newUser(), name }));
      const begun = await Promise.all(
        clients.map(({ client, name }) => client.beginRegistration(`${name} ${round}`)),
      );
      const done = await Promise.all(
        clients.map(({ client }, n) =>
          client.completeRegistration(client.create(begun[n] as Answer)),
        ),
      );
      expect(done.map(({ status }) => status).sort()).toEqual([200, 408, 408]);
    }
  });

  it('renames and deletes users by names in any case until the rule ends', async () => {
    const { registered, patch, admin, newUser } = await placeOn(server, FOLDED);
    const [anna] = [await registered('Anna'), await registered('ben')];
    const rename = (username: string, newUsername: string) =>
      admin.patch('/userapi/users', { username, newUsername });
    expectRefusal(await rename('BEN', 'ANNA'), 'E0045R', 400);
    expect((await rename('anna', 'ANNA')).body).toMatchObject({ username: 'ANNA' });
    expect((await rename('anna', 'Cleo')).status).toBe(200);
    expect((await anna.signIn('CLEO')).body).toMatchObject({ username: 'Cleo' });
    expect((await anna.beginAuthentication('Anna')).status).toBe(403);
    expect((await registered('anna')).authenticator.credentials).toHaveLength(1);
    await patch({ policy: {} });
    expect((await anna.beginAuthentication('CLEO')).status).toBe(403);
    const two = await registered('CLEO');
    expect((await patch({ policy: FOLDED })).body['collisions']).toEqual([['CLEO', 'Cleo']]);
    expect((await rename('CLEO', 'Dora')).status).toBe(200);
    expect((await patch({ policy: FOLDED })).status).toBe(200);
    expect((await two.signIn('DORA')).status).toBe(200);
    expect((await admin.managePost({ type: 'deluser', filter: 'dora' })).status).toBe(200);
    expect((await newUser().register('DORA')).status).toBe(200);
  });

  it('finds and changes users by filters in any case, page by page', async () => {
    const { registered, admin } = await placeOn(server, FOLDED);
    for (const name of ['Ben', 'anna', 'Änne', 'CLEO', 'bert']) await registered(name);
    expect(await admin.names('*', { limit: '2' })).toEqual(['anna', 'Ben', 'bert', 'CLEO', 'Änne']);
    expect(await admin.names('BE*')).toEqual(['Ben', 'bert']);
    expect(await admin.names('*E*')).toEqual(['Ben', 'bert', 'CLEO', 'Änne']);
    expect(await admin.names('ÄNNE')).toEqual(['Änne']);
    await eventually(async () => {
      const { body } = await admin.get('/users?filter=*N*&limit=1');
      expect(body).toMatchObject({ total: 3, users: [{ username: 'anna' }] });
    });
    const disabled = await admin.managePost({ type: 'disableall', filter: 'cleo' });
    expect(disabled.body).toMatchObject({ users: 1, affected: [{ username: 'CLEO' }] });
  });

  it('accepts lists with names in any case, and counts a repeated name once', async () => {
    const { registered, admin } = await placeOn(server, FOLDED);
    for (const name of ['Anna', 'ben', 'CLEO']) await registered(name);
    const { body } = await postList(admin, '/userapi/upload', 'ANNA\nanna\nBen\nnobody\n');
    expect(body['users']).toEqual([
      { username: 'Anna', line: 1, found: true, credentials: 1 },
      { username: 'ben', line: 3, found: true, credentials: 1 },
      { username: 'nobody', line: 4, found: false, credentials: 0 },
    ]);
    const deleted = await admin.post('/userapi/deletelistusers', { uploadId: body['uploadId'] });
    expect(deleted.body).toMatchObject({ deleted: 2, missing: 1, credentials: 2 });
    expect(await admin.names('*')).toEqual(['CLEO']);
  });

  it('accepts tickets and invitations for a name in any case, and keeps the spelling that a new user types', async () => {
    const policy = { registration: 'ticket', ...FOLDED } as const;
    const { admin, newUser, domain } = await placeOn(server, policy);
    const issue = async (path: string, username: string, more: object = {}) => {
      const { body } = await admin.post(path, { username, relyingParty: domain, ...more });
      return String(body['ticket'] ?? body['code']);
    };
    const ticket = await issue('/userapi/tickets', 'Anna@Example.com');
    expect((await newUser().register('anna@example.com', { ticket })).body).toMatchObject({
      username: 'Anna@Example.com',
    });
    const other = await issue('/userapi/tickets', 'Ben');
    const { begun } = await ticketRow();
    expectRefusal(await newUser().beginRegistration('bert', { ticket: other }), 'E0043R');
    expect((await ticketRow()).begun).toBe(begun);
    const code = await issue('/userapi/invitations', 'Cleo', { ttl: 60 });
    expect((await newUser().register('CLEO', { ticket: code })).body).toMatchObject({
      username: 'Cleo',
    });
    const third = await issue('/userapi/tickets', 'Dora');
    expect((await newUser().register('dora', { ticket: third })).status).toBe(200);
    await issue('/userapi/invitations', 'DORA', { ttl: 60 });
    const { body } = await admin.get('/userapi/invitations?username=dora');
    expect(body['invitations']).toMatchObject([{ username: 'Dora' }]);
  });

  it('lists, counts and revokes in any case what was issued while no user had the name', async () => {
    const policy = { registration: 'ticket', ...FOLDED } as const;
    const { admin, newUser, domain } = await placeOn(server, policy);
    const issue = async (path: string, username: string) => {
      const { body } = await admin.post(path, { username, relyingParty: domain });
      return String(body['ticket'] ?? body['code']);
    };
    await issue('/userapi/tickets', 'Straße');
    const code = await issue('/userapi/invitations', 'Straße');
    await issue('/userapi/invitations', 'Strasser');
    const listed = { username: 'Straße', relyingParty: domain };
    for (const name of ['Straße', 'STRASSE']) {
      const { body: tickets } = await admin.get(`/userapi/tickets?username=${name}`);
      expect(tickets['tickets']).toMatchObject([listed]);
      const { body: invitations } = await admin.get(`/userapi/invitations?username=${name}`);
      expect(invitations['invitations']).toMatchObject([{ ...listed, state: 'open' }]);
    }
    const file = { rp: domain, hours: '24', users: 'strasse', once: randomUUID() };
    const { text } = await sendForm(server, '/userapi/user/invitations/list', file);
    expect(text).toContain('No link was made.');
    await server
      .get(InvitationIssue)
      .revokeAll(
        changingCall(server, 'invitation.revoke'),
        relyingPartyOf(server, domain),
        'strasse',
      );
    expectRefusal(await newUser().beginRegistration('strasse', { ticket: code }), 'E0043R');
    const { body } = await admin.get('/userapi/invitations');
    expect(body['invitations']).toMatchObject([
      { username: 'Strasser', state: 'open' },
      { username: 'Straße', state: 'revoked' },
    ]);
  });

  it('lists the open invitation of a user who was renamed to another case', async () => {
    const { admin, registered, domain } = await placeOn(server, FOLDED);
    await registered('anna');
    await admin.post('/userapi/invitations', { username: 'anna', relyingParty: domain });
    const names = { username: 'anna', newUsername: 'Anna' };
    expect((await admin.patch('/userapi/users', names)).status).toBe(200);
    const { body } = await admin.get('/userapi/invitations?username=anna');
    expect(body['invitations']).toMatchObject([{ username: 'anna', state: 'open' }]);
  });

  it('ends what was issued for a deleted user in another case before the user existed', async () => {
    const policy = { registration: 'ticket', ...FOLDED } as const;
    const { admin, newUser, domain } = await placeOn(server, policy);
    const issue = async (path: string, username: string) => {
      const { body } = await admin.post(path, { username, relyingParty: domain });
      return String(body['ticket'] ?? body['code']);
    };
    const ticket = await issue('/userapi/tickets', 'Straße');
    const code = await issue('/userapi/invitations', 'STRASSE');
    const others = await issue('/userapi/tickets', 'Strasser');
    const used = await issue('/userapi/tickets', 'strasse');
    expect((await newUser().register('strasse', { ticket: used })).status).toBe(200);
    expect(await admin.managePost({ type: 'deluser', filter: 'strasse' })).toMatchObject({
      body: { users: 1, ended: { tickets: 1, invitations: 1 } },
    });
    for (const permit of [ticket, code]) {
      expectRefusal(await newUser().beginRegistration('strasse', { ticket: permit }), 'E0043R');
    }
    expect((await newUser().register('Strasser', { ticket: others })).status).toBe(200);
  });

  const ticketRow = async () => {
    const rows = await rowsOf<{ begun: number }>(server, 'SELECT SUM(begun) AS begun FROM tickets');
    return { begun: Number(rows[0]?.begun) };
  };

  it('lists an application’s keys for a name in any case, and limits count all cases together', async () => {
    const { registered, domain, newUser } = await placeOn(server, FOLDED);
    await registered('Anna');
    const { secret } = await issueKey(server.url, {
      name: 'shop',
      tenant: 'acme',
      scopes: ['ceremonies'],
      relyingParties: [domain],
    });
    const headers = { authorization: `Bearer ${secret}` };
    const { body } = await newUser().get('/fidoapi/keys?username=ANNA', headers);
    expect(body).toMatchObject({ username: 'Anna', keys: [{}] });
    const left = async (name: string) =>
      /"user";r=(\d+)/.exec(
        (await newUser().beginAuthentication(name)).headers.get('ratelimit') ?? '',
      );
    const one = await left('Anna');
    const other = await left('ANNA');
    expect(Number(other?.[1])).toBeLessThan(Number(one?.[1]));
  });

  it('invents the same keys for a name in any case', async () => {
    const policy = { registration: 'ticket', unknownUsers: 'pretend', ...FOLDED } as const;
    const { newUser } = await placeOn(server, policy);
    const keys = async (name: string) =>
      JSON.stringify((await newUser().beginAuthentication(name)).body['allowCredentials']);
    expect(await keys('Nobody@Example.com')).toBe(await keys('nobody@example.COM'));
    expect(await keys('nobody@example.org')).not.toBe(await keys('nobody@example.com'));
  });

  it('imports no second user whose name differs only in case', async () => {
    const { admin, registered, domain } = await placeOn(server, FOLDED);
    await registered('Anna');
    const lines = [
      { type: 'header', format: 'servicefido-users', version: 1, relyingParty: domain },
      ...['ANNA', 'Ben', 'BEN'].map((username, n) => ({
        type: 'user',
        username,
        displayName: username,
        keys: [],
        userHandle: Buffer.alloc(32, n + 1).toString('base64url'),
        createdAt: '2026-01-31T09:00:00.000Z',
      })),
      { type: 'end', users: 3, keys: 0 },
    ];
    const content = lines.map((line) => JSON.stringify(line)).join('\n');
    const { body } = await postList(admin, `/userapi/import?relyingParty=${domain}`, content);
    expect(body).toMatchObject({ status: 'ok', users: { created: 1, refused: 2 } });
    expect(await admin.names('*')).toEqual(['Anna', 'Ben']);
  });

  it('is required at the predecessor, whose users may then use any case', async () => {
    const old = await placeOn(server);
    const next = await placeOn(server, FOLDED);
    const client = await old.registered('Anna');
    const ticket = { registration: 'ticket' } as const;
    await old.patch({ policy: ticket, relatedOrigins: [`https://${next.domain}`] });
    const move = { predecessor: old.domain };
    expectRefusal(await next.patch(move), 'E0045R', 400);
    await old.patch({ policy: { ...ticket, ...FOLDED } });
    expect((await next.patch(move)).status).toBe(200);
    expectRefusal(await old.patch({ policy: ticket }), 'E0045R', 400);
    const here = next.newUser(client.authenticator);
    expect((await here.signIn('ANNA')).body).toMatchObject({
      username: 'Anna',
      upgrade: { user: { name: 'Anna' } },
    });
    expect((await next.patch({ policy: {} })).status).toBe(200);
    expect((await here.beginAuthentication('ANNA')).body).toMatchObject({ rpId: old.domain });
  });

  it('finds an earlier version’s user by the exact name, and after a minute in any case', async () => {
    const { domain, admin, newUser, registered } = await placeOn(server, FOLDED);
    await settle(server, relyingPartyOf(server, domain), [{ username: 'Früher' }]);
    const begin = async (name: string) => (await newUser().beginAuthentication(name)).status;
    expect([await begin('Früher'), await begin('FRÜHER')]).toEqual([200, 403]);
    await server.get(FoldingJob).foldAll();
    expect(await begin('FRÜHER')).toBe(200);
    expect(await admin.names('früher')).toEqual(['Früher']);
    await registered('Doppelt');
    await settle(server, relyingPartyOf(server, domain), [{ username: 'DOPPELT' }]);
    await server.get(FoldingJob).foldAll();
    expect(server.logged.map(({ msg }) => String(msg)).join()).toContain(`${domain} has names`);
  });

  it('answers for another case of a name that an earlier version stored at the successor of a move', async () => {
    const policy = { registration: 'ticket', ...FOLDED } as const;
    const old = await placeOn(server, FOLDED);
    await old.registered('früher');
    const next = await placeOn(server, policy);
    await old.patch({ policy, relatedOrigins: [`https://${next.domain}`] });
    expect((await next.patch({ predecessor: old.domain })).status).toBe(200);
    const places = [old, next].map(({ domain }) => relyingPartyOf(server, domain));
    const [predecessor, successor] = places as [RelyingParty, RelyingParty];
    await settle(server, successor, [{ username: 'Früher' }]);
    await linkUsers(server, [predecessor, successor], 'früher', 'Früher');
    expect((await next.newUser().beginAuthentication('früher')).status).toBe(403);
    const { body } = await next.admin.post('/userapi/tickets', {
      username: 'früher',
      relyingParty: next.domain,
    });
    const refused = await next.newUser().register('früher', { ticket: String(body['ticket']) });
    expectRefusal(refused, 'E0043R', 403);
    expect(refused.body.reason).toBe('registration.needsLink');
    expect(await countOf(server, 'users WHERE relying_party_id = ?', successor.id)).toBe(1);
  });

  it('shows the help desk a refusal under the registered name', async () => {
    const { registered, domain, newUser } = await placeOn(server, FOLDED);
    await registered('Anna');
    const client = newUser();
    const begun = await client.beginAuthentication('ANNA');
    await client.completeAuthentication({ ...begun.body, id: 'AAAA' });
    await server.get(RefusalLog).flush();
    const sql = `SELECT username FROM events WHERE relying_party_id = ? AND kind LIKE '%refused'`;
    const rows = await rowsOf<{ username: Buffer }>(server, sql, rpId(domain));
    expect(rows.map(({ username }) => username.toString())).toEqual(['Anna']);
  });
});

/** Another instance learns of a policy within two seconds. Users whom it stores until then count too. */
describe.each(EVERY_DATABASE.filter((name) => name !== 'SQLite'))('two instances on %s', (on) => {
  let database: TestDatabase;
  let servers: TestServer[];
  beforeAll(async () => {
    database = await createServerDatabase(on as DatabaseName);
    servers = [await TestServer.start({ database })];
    servers.push(await TestServer.start({ database }));
  });
  afterAll(async () => {
    for (const server of servers) await server.stop();
    await database.remove();
  });

  it('stores no two names that differ only in case while users register under both', async () => {
    const [one, other] = servers as [TestServer, TestServer];
    for (let round = 0; round < 6; round += 1) {
      const place = await placeOn(one);
      await place.registered('first');
      await other.get(RelyingPartyCache).refresh();
      const register = async (server: TestServer, name: string) => {
        const client = new FidoClient(server.url, {
          relyingParty: place.domain,
        });
        return (await client.register(name)).status;
      };
      const allUsers = ['anna', 'ben', 'cleo', 'dora'].flatMap((name) => [
        () => register(one, name),
        () => register(other, name.toUpperCase()),
      ]);
      const changing = one
        .get(TenancyService)
        .changeRelyingParty(one.call, 'acme', place.domain, { policy: FOLDED })
        .then(
          () => true,
          () => false,
        );
      await Promise.all(allUsers.map((register) => register()));
      const isOn = await changing;
      const { id } = relyingPartyOf(one, place.domain);
      const sql = 'SELECT username, folded_name AS folded FROM users WHERE relying_party_id = ?';
      const rows = await rowsOf<{ username: Buffer; folded: Buffer | null }>(one, sql, id);
      const names = rows.map(({ username }) => username.toString().toLowerCase());
      if (!isOn) continue;
      expect(new Set(names).size).toBe(names.length);
      expect(rows.filter(({ folded }) => folded === null)).toEqual([]);
    }
  });

  it('stores no user twice if one instance has not read the policy yet', async () => {
    const [one, other] = servers as [TestServer, TestServer];
    const place = await placeOn(one);
    await place.registered('anna');
    await other.get(RelyingPartyCache).refresh();
    const settings = { relyingParty: place.domain };
    const late = ['ANNA', 'Ben'].map((name) => ({
      name,
      to: new FidoClient(other.url, settings),
    }));
    const begun = await Promise.all(late.map(({ name, to }) => to.beginRegistration(name)));
    expect((await place.patch({ policy: FOLDED })).status).toBe(200);
    const [anna, ben] = await Promise.all(
      late.map(({ to }, n) => to.completeRegistration(to.create(begun[n] as Answer))),
    );
    expectRefusal(anna as Answer, 'E0024R');
    expect(ben?.status).toBe(200);
    expect((await place.newUser().beginAuthentication('BEN')).status).toBe(200);
  });
});

describe.each(EVERY_DATABASE)('the job that folds names of earlier versions, on %s', (on) => {
  it('folds a name of one tenant while many of another are not folded yet', async () => {
    const server = await TestServer.start({ on });
    const job = server.get(FoldingJob);
    // Only the test runs it.
    await job.onModuleDestroy();
    const many = Array.from({ length: 300 }, (_, n) => ({ username: `Viele ${n}` }));
    const places = [
      { domain: 'a.example', users: many },
      { domain: 'b.example', users: [{ username: 'Eine' }] },
    ];
    for (const { domain, users } of places) {
      await server.addRelyingParty(domain.replace('.', '-'), { domain, policy: FOLDED });
      await settle(server, relyingPartyOf(server, domain), users);
    }
    const unfolded = (domain: string) => {
      const { id } = relyingPartyOf(server, domain);
      return countOf(server, 'users WHERE relying_party_id = ? AND folded_name IS NULL', id);
    };
    let turns = 0;
    await job.foldAll(() => (turns += 1) <= 2);
    expect(await unfolded('b.example')).toBe(0);
    expect(await unfolded('a.example')).toBe(300 - 128);
    await job.foldAll();
    expect(await unfolded('a.example')).toBe(0);
    await server.stop();
  });
});
