import { Database } from '../../src/platform/database/database.js';
import { mapKey, newId } from '../../src/platform/database/row-ids.js';
import type { RelyingParty } from '../../src/tenancy/relying-party.js';
import { FoldingJob } from '../../src/tenancy/usernames/folded-names.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { MoveDecisions } from '../../src/users/moves/move-decisions.js';
import { userIdAt } from '../../src/users/moves/move-steps.js';
import { SameUsers } from '../../src/users/moves/same-users.js';
import { FORMER_USERS } from '../../src/users/moves/move.statements.js';
import { sendForm } from '../support/console-form.js';
import { AdminClient } from '../support/admin-client.js';
import { DATABASES } from '../support/databases.js';
import { holdNextQuery } from '../support/held-query.js';
import { linkStep, linkUsers, settle } from '../support/people.js';
import { countOf, relyingPartyOf, rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

/** More than a batch of the job. */
const MANY = 1_100;

describe.each(DATABASES)('the decisions about users of the old domain of a move, on %s', (on) => {
  let server: TestServer;
  let admin: AdminClient;
  let moves = 0;
  let former: RelyingParty;
  let rp: RelyingParty;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    // The tests decide, so that no round of the job falls between their steps.
    await server.get(MoveDecisions).onModuleDestroy();
    admin = new AdminClient(server.url, 'localhost');
  });
  afterAll(() => server.stop());

  /** Two relying parties without users, of which the second will have the first as predecessor. */
  beforeEach(async () => {
    moves += 1;
    const policy = { registration: 'ticket' } as const;
    const domains = [`old-${moves}.example`, `new-${moves}.example`] as const;
    for (const domain of domains) await server.addRelyingParty('acme', { domain, policy });
    former = relyingPartyOf(server, domains[0]);
    rp = relyingPartyOf(server, domains[1]);
  });

  const begin = () => name(former.domain);
  const decide = (on: TestServer = server) => on.get(MoveDecisions).catchUp();

  it('are stored: a link for a free name or equal user IDs, else a collision', async () => {
    await added(former, 'anna', 'ben', 'cleo', 'dora', 'emil');
    await added(rp, 'ben', 'cleo.new', 'emil');
    await setUserId(former, 'cleo', 'cleo-1');
    await setUserId(rp, 'cleo.new', 'cleo-1');
    await setUserId(former, 'emil', 'emil-1');
    await setUserId(rp, 'emil', 'emil-2');
    await begin();
    await decide();
    expect(await decisions()).toEqual({
      anna: 'open',
      ben: 'nameTaken',
      cleo: 'cleo.new',
      dora: 'open',
      emil: 'nameTaken',
    });
  });

  it('make a collision of a name that was given up at the new domain before the move', async () => {
    await added(rp, 'frida', 'gert');
    expect((await rename('frida', 'frieda', rp)).status).toBe(200);
    await manage('deluser', 'gert');
    await added(former, 'frida', 'gert', 'hugo');
    await begin();
    await decide();
    const expected = { frida: 'nameGivenUp', gert: 'nameGivenUp', hugo: 'open' };
    expect(await decisions()).toEqual(expected);
  });

  describe('at domains that ignore case', () => {
    beforeEach(async () => {
      const policy = { registration: 'ticket', usernames: 'case-insensitive' } as const;
      for (const { domain } of [former, rp]) {
        await server
          .get(TenancyService)
          .changeRelyingParty(server.call, 'acme', domain, { policy });
      }
      [former, rp] = [relyingPartyOf(server, former.domain), relyingPartyOf(server, rp.domain)];
    });
    /** A job folds names that an instance of 1.0 stored. */
    const addedFolded = async (at: RelyingParty, ...names: string[]) => {
      await added(at, ...names);
      await server.get(FoldingJob).foldAll();
    };

    it('make a collision of a name that was given up in another case before the move', async () => {
      await addedFolded(rp, 'frida', 'gert');
      expect((await rename('FRIDA', 'Frieda', rp)).status).toBe(200);
      await manage('deluser', 'gert');
      await addedFolded(former, 'FRIDA', 'gerT', 'hugo');
      await begin();
      await decide();
      const expected = { FRIDA: 'nameGivenUp', gerT: 'nameGivenUp', hugo: 'open' };
      expect(await decisions()).toEqual(expected);
    });

    it('make a collision of a name that is given up in another case during the move', async () => {
      await begin();
      await addedFolded(rp, 'Lena');
      await manage('deluser', 'lena');
      await addedFolded(former, 'LENA');
      await decide();
      expect(await decisions()).toEqual({ LENA: 'nameGivenUp' });
    });

    it('become a collision if an earlier version adds the name of an expected one in another case', async () => {
      await addedFolded(former, 'maja', 'nils');
      await begin();
      await decide();
      await addedFolded(rp, 'MAJA');
      await decide();
      expect(await decisions()).toEqual({ maja: 'nameTaken', nils: 'open' });
    });
  });

  it('stay as they are, whatever happens to the names later', async () => {
    await added(former, 'ines', 'jana');
    await added(rp, 'jana');
    await begin();
    await decide();
    await setUserId(former, 'jana', 'jana-1');
    await setUserId(rp, 'jana', 'jana-1');
    expect((await rename('jana', 'johanna', rp)).status).toBe(200);
    await decide();
    expect(await decisions()).toEqual({ ines: 'open', jana: 'nameTaken' });
    const { body } = await manage('disableall', 'johanna');
    expect(body).toMatchObject({ users: 1, credentials: 1 });
  });

  it('keep what an earlier version stored: links and separate names', async () => {
    await added(former, 'karl', 'lena');
    await added(rp, 'carl');
    await linkUsers(server, [former, rp], 'karl', 'carl');
    await begin();
    await added(rp, 'lena');
    await manage('deluser', 'lena');
    await decide();
    expect(await decisions()).toEqual({ karl: 'carl', lena: 'nameGivenUp' });
  });

  it('become a collision if an earlier version adds a user with the name of an expected one', async () => {
    await added(former, 'maja', 'nils');
    await begin();
    await decide();
    await added(rp, 'maja');
    expect((await manage('disableall', 'maja')).body).toMatchObject({ users: 1 });
    await decide();
    expect(await decisions()).toEqual({ maja: 'nameTaken', nils: 'open' });
  });

  it('prevail over a link that an earlier version stores for a collision', async () => {
    await added(former, 'olaf');
    await added(rp, 'olaf');
    await begin();
    await decide();
    await server.get(Database).commit([linkStep([former, rp], 'olaf')]);
    expect((await manage('disableall', 'olaf')).body).toMatchObject({ users: 1, credentials: 1 });
    const { body } = await admin.get(`/userapi/collisions?relyingParty=${rp.domain}`);
    expect(body['collisions']).toEqual([{ username: 'olaf', reason: 'nameTaken' }]);
  });

  it('include users whom an earlier version adds at the old domain later', async () => {
    await begin();
    await decide();
    await added(former, 'paul');
    await decide();
    expect(await decisions()).toEqual({ paul: 'open' });
  });

  it('end with the user of the old domain, and with the move', async () => {
    await added(former, 'rita', 'sven', 'tina');
    await added(rp, 'tina', 'una');
    await linkUsers(server, [former, rp], 'sven', 'una');
    await begin();
    await decide();
    await manage('deluser', 'rita', former.domain);
    expect(await decisions()).toEqual({ sven: 'una', tina: 'nameTaken' });
    expect(await countOf(server, 'moves WHERE relying_party_id = ?', rp.id)).toBe(1);
    await name(null);
    await decide();
    expect(await decisions()).toEqual({ sven: 'una', tina: 'open' });
  });

  it('are not made about an expected user again who is renamed at the old domain', async () => {
    await added(former, 'uwe', 'vera');
    await begin();
    await decide();
    expect((await rename('uwe', 'urs', former)).status).toBe(200);
    await added(former, 'uwe');
    await decide();
    expect(await decisions()).toEqual({ urs: 'linked', uwe: 'nameGivenUp', vera: 'open' });
  });

  it('are none about a user who is renamed after the rule has read the user', async () => {
    await added(former, 'wanda');
    await begin();
    const held = holdNextQuery(server.get(Database), FORMER_USERS);
    const decided = decide();
    await held.reached;
    expect((await rename('wanda', 'wilma', rp)).status).toBe(200);
    held.letGo();
    await decided;
    expect(await decisions()).toEqual({ wilma: 'linked' });
  });

  it('are none about an expected user who is renamed again after the rule has read the user', async () => {
    await added(former, 'wanda');
    await begin();
    expect((await rename('wanda', 'wilma', rp)).status).toBe(200);
    const [{ id } = { id: newId() }] = await rowsOf<{ id: Buffer }>(
      server,
      'SELECT id FROM users WHERE relying_party_id = ?',
      former.id,
    );
    const held = holdNextQuery(server.get(Database), FORMER_USERS);
    const storing = server.get(SameUsers).storing(relyingPartyOf(server, rp.domain), former, [id]);
    await held.reached;
    expect((await rename('wilma', 'wendy', rp)).status).toBe(200);
    held.letGo();
    await server.get(Database).commit(await storing);
    expect(await decisions()).toEqual({ wendy: 'linked' });
  });

  it('are listed as JSON, CSV and a page, and a collision is resolved by an account', async () => {
    await added(former, 'yves', 'yul');
    await added(rp, 'yves', 'yul');
    await begin();
    await decide();
    const at = new AdminClient(server.url, rp.domain);
    const csv = await at.get('/userapi/collisions?format=csv');
    expect(csv.text).toContain('"yves","nameTaken"');
    const page = await at.get('/userapi/collisions?format=html');
    expect(page.text).toContain('Another user has the name here');
    expect(page.text).toContain('name="username" value="yul"');
    const linked = await at.post('/userapi/collisions', { username: 'yves' });
    expect(linked).toMatchObject({ status: 201, body: { relyingParty: rp.domain } });
    const once = await server.snapshot();
    const again = await at.post('/userapi/collisions', { username: 'yves' });
    expect([again.status, again.body]).toEqual([201, { ...linked.body }]);
    expect(await server.snapshot()).toBe(once);
    expect(await decisions()).toEqual({ yves: 'yves', yul: 'nameTaken' });
    const collision = { relyingParty: rp.domain, username: 'yul' };
    const form = await sendForm(server, '/userapi/collisions/form', collision);
    expect(form.status).toBe(303);
    expect(await decisions()).toEqual({ yves: 'yves', yul: 'yul' });
    expect((await manage('disableall', 'yves')).body).toMatchObject({ users: 2 });
    const rows = await countOf(server, "audit WHERE action = 'user.link' AND result = 'ok'");
    expect(rows).toBe(2);
    const before = await server.snapshot();
    const nobody = await at.post('/userapi/collisions', { username: 'nobody at all' });
    expect(nobody).toMatchObject({ status: 404, body: { errorCode: 'E0044R' } });
    expect(await server.snapshot()).toBe(before);
  });

  it('stay as they are if the name belongs to another user of the old domain (E0044R)', async () => {
    await added(former, 'lea', 'kim');
    await added(rp, 'lea');
    await setUserId(former, 'kim', 'kim-1');
    await setUserId(rp, 'lea', 'kim-1');
    await begin();
    await decide();
    const decided = { kim: 'lea', lea: 'nameTaken' };
    expect(await decisions()).toEqual(decided);
    const at = new AdminClient(server.url, rp.domain);
    const before = await server.snapshot();
    const refused = await at.post('/userapi/collisions', { username: 'lea' });
    expect(refused).toMatchObject({
      status: 404,
      body: { errorCode: 'E0044R', reason: 'user.linkedElsewhere' },
    });
    expect(await server.snapshot()).toBe(before);
    expect(await decisions()).toEqual(decided);
  });

  it('offer no button for a collision whose user ID is taken', async () => {
    await added(former, 'xena', 'xaver');
    await added(rp, 'xaver');
    await linkUsers(server, [former, rp], 'xaver');
    await setUserId(former, 'xena', 'xaver-1');
    await setUserId(rp, 'xaver', 'xaver-1');
    await begin();
    await decide();
    expect(await decisions()).toEqual({ xaver: 'xaver', xena: 'userIdTaken' });
    const page = await new AdminClient(server.url, rp.domain).get(
      '/userapi/collisions?format=html',
    );
    expect(page.text).toContain('xena');
    expect(page.text).not.toContain('name="username" value="xena"');
  });

  it('decisions are counted by a dry run, which changes nothing', async () => {
    await added(former, 'zoe', 'zac', 'zia');
    await added(rp, 'zac');
    const path = `/tenantapi/tenants/acme/relying-parties/${rp.domain}`;
    const patch = (query: string, more = {}) =>
      admin.patch(`${path}${query}`, { predecessor: former.domain, ...more });
    const before = await server.snapshot();
    const rows = await countOf(server, 'audit');
    const { status, body } = await patch('?dryRun=yes');
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        dryRun: true,
        move: { users: 3, links: 2, collisions: 1, complete: true },
        predecessor: former.domain,
      },
    });
    expect(await server.snapshot()).toBe(before);
    expect(await countOf(server, 'audit')).toBe(rows);
    expect((await patch('?dryRun=maybe')).status).toBe(400);
    const misplaced = [await patch('?dryrun=yes'), await patch('', { dryRun: 'yes' })];
    for (const answer of misplaced) {
      expect(answer).toMatchObject({ status: 400, body: { reason: 'parameters.dryRun' } });
    }
    expect(await server.snapshot()).toBe(before);
    expect((await patch('')).body).toMatchObject({ predecessor: former.domain });
  });

  it('store no link for a user who is not at the new domain, which 1.0 takes for an administrator’s', async () => {
    await added(former, 'wanda');
    await begin();
    await decide();
    expect(await countOf(server, 'moves WHERE relying_party_id = ?', rp.id)).toBe(0);
    const [wanda] = await rowsOf<{ id: Buffer }>(
      server,
      'SELECT id FROM users WHERE relying_party_id = ?',
      former.id,
    );
    const id = wanda?.id ?? newId();
    const found = await server.get(SameUsers).ofFormer(relyingPartyOf(server, rp.domain), [id]);
    expect(found.get(mapKey(id))).toEqual({ userId: userIdAt(rp, id), name: undefined });
  });

  it('are not changed by the new name of a user who is not at the new domain yet', async () => {
    await added(rp, 'xander');
    await manage('deluser', 'xander');
    await added(former, 'walter');
    await begin();
    await decide();
    expect((await rename('walter', 'xander', former)).status).toBe(200);
    await decide();
    expect(await decisions()).toEqual({ xander: 'linked' });
  });

  // Last: the other instance takes over the audit trail.
  it('are made by two instances at once as by one, and by one that stops after each batch', async () => {
    const users = Array.from({ length: MANY }, (_, n) => `user-${String(n).padStart(4, '0')}`);
    await added(former, ...users);
    await added(rp, ...users.filter((_, n) => n % 2 === 0));
    await begin();
    const other = await TestServer.start({ on, database: server.database });
    try {
      for (let most = 1, stopped = true; stopped; most += 1) {
        let calls = 0;
        await server.get(MoveDecisions).catchUp(() => (calls += 1) <= most);
        stopped = calls > most;
        const n = await countOf(
          server,
          `moves m JOIN collisions c ON c.former_user_id = m.former_user_id
           WHERE m.relying_party_id = ?`,
          rp.id,
        );
        expect(n).toBe(0);
        if (most === 3) await Promise.all([decide(other), decide()]);
      }
    } finally {
      await other.stop();
    }
    const found = Object.values(await decisions());
    expect(found.filter((one) => one === 'open')).toHaveLength(MANY / 2);
    expect(found.filter((one) => one === 'nameTaken')).toHaveLength(MANY / 2);
  });

  function name(predecessor: string | null) {
    return server
      .get(TenancyService)
      .changeRelyingParty(server.call, 'acme', rp.domain, { predecessor });
  }

  function added(at: RelyingParty, ...names: string[]) {
    return settle(
      server,
      at,
      names.map((username) => ({ username })),
    );
  }

  function setUserId(at: RelyingParty, username: string, userId: string) {
    return server.get(Database).commit([
      {
        sql: 'UPDATE users SET subject = ? WHERE relying_party_id = ? AND username = ?',
        params: [Buffer.from(userId), at.id, Buffer.from(username)],
        mustChange: true,
      },
    ]);
  }

  /**
   * By names at the old domain: the name at the new domain, the reason of the collision, `linked` for a link to a user
   * who is not there yet, or `open` if nothing is stored.
   */
  async function decisions() {
    const rows = await rowsOf<Record<'name' | 'here' | 'link' | 'reason', Buffer | null>>(
      server,
      `SELECT o.username AS name, n.username AS here, m.user_id AS link, c.reason AS reason
       FROM users o LEFT JOIN moves m ON m.former_user_id = o.id AND m.relying_party_id = ?
       LEFT JOIN users n ON n.id = m.user_id
       LEFT JOIN collisions c ON c.former_user_id = o.id AND c.relying_party_id = ?
       WHERE o.relying_party_id = ?`,
      rp.id,
      rp.id,
      former.id,
    );
    const said = ({ here, link, reason }: (typeof rows)[number]) =>
      String(reason ?? here ?? (link ? 'linked' : 'open'));
    return Object.fromEntries(rows.map((row) => [String(row.name), said(row)]));
  }

  function manage(type: string, filter: string, relyingParty = rp.domain) {
    return new AdminClient(server.url, relyingParty).managePost({ type, filter });
  }

  function rename(username: string, newUsername: string, { domain: relyingParty }: RelyingParty) {
    return admin.patch('/userapi/users', { username, newUsername, relyingParty });
  }
});
