import { Database } from '../../src/platform/database/database.js';
import { mapKey, newId } from '../../src/platform/database/row-ids.js';
import type { RelyingParty } from '../../src/tenancy/relying-party.js';
import { FoldingJob } from '../../src/tenancy/usernames/folded-names.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { MoveDecisions } from '../../src/users/moves/move-decisions.js';
import { userIdAt } from '../../src/users/moves/move-steps.js';
import { SameUsers } from '../../src/users/moves/same-users.js';
import { PREDECESSOR_USERS } from '../../src/users/moves/move-decision.statements.js';
import { sendForm } from '../support/console-form.js';
import { AdminClient } from '../support/admin-client.js';
import { DATABASES } from '../support/databases.js';
import { holdNextQuery } from '../support/held-query.js';
import { linkStep, linkUsers, settle } from '../support/settled-users.js';
import { countOf, relyingPartyOf, rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

/** More than a part of the job. */
const MANY = 1_100;

describe.each(DATABASES)('the decisions about users of the predecessor, on %s', (on) => {
  let server: TestServer;
  let admin: AdminClient;
  let moves = 0;
  let predecessor: RelyingParty;
  let successor: RelyingParty;
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
    predecessor = relyingPartyOf(server, domains[0]);
    successor = relyingPartyOf(server, domains[1]);
  });

  const begin = () => setPredecessor(predecessor.domain);
  const decide = (on: TestServer = server) => on.get(MoveDecisions).catchUp();

  it('are stored: a link for a free name or equal user IDs, else a collision', async () => {
    await added(predecessor, 'anna', 'ben', 'cleo', 'dora', 'emil');
    await added(successor, 'ben', 'cleo.new', 'emil');
    await setUserId(predecessor, 'cleo', 'cleo-1');
    await setUserId(successor, 'cleo.new', 'cleo-1');
    await setUserId(predecessor, 'emil', 'emil-1');
    await setUserId(successor, 'emil', 'emil-2');
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

  it('make a collision of a name that was given up at the successor before the move', async () => {
    await added(successor, 'frida', 'gert');
    expect((await rename('frida', 'frieda', successor)).status).toBe(200);
    await manage('deluser', 'gert');
    await added(predecessor, 'frida', 'gert', 'hugo');
    await begin();
    await decide();
    const expected = { frida: 'nameGivenUp', gert: 'nameGivenUp', hugo: 'open' };
    expect(await decisions()).toEqual(expected);
  });

  describe('at domains that ignore case', () => {
    beforeEach(async () => {
      const policy = { registration: 'ticket', usernames: 'case-insensitive' } as const;
      for (const { domain } of [predecessor, successor]) {
        await server
          .get(TenancyService)
          .changeRelyingParty(server.call, 'acme', domain, { policy });
      }
      [predecessor, successor] = [
        relyingPartyOf(server, predecessor.domain),
        relyingPartyOf(server, successor.domain),
      ];
    });
    /** A job folds names that an instance of 1.0 stored. */
    const addedFolded = async (at: RelyingParty, ...names: string[]) => {
      await added(at, ...names);
      await server.get(FoldingJob).foldAll();
    };

    it('make a collision of a name that was given up in another case before the move', async () => {
      await addedFolded(successor, 'frida', 'gert');
      expect((await rename('FRIDA', 'Frieda', successor)).status).toBe(200);
      await manage('deluser', 'gert');
      await addedFolded(predecessor, 'FRIDA', 'gerT', 'hugo');
      await begin();
      await decide();
      const expected = { FRIDA: 'nameGivenUp', gerT: 'nameGivenUp', hugo: 'open' };
      expect(await decisions()).toEqual(expected);
    });

    it('make a collision of a name that is given up in another case during the move', async () => {
      await begin();
      await addedFolded(successor, 'Lena');
      await manage('deluser', 'lena');
      await addedFolded(predecessor, 'LENA');
      await decide();
      expect(await decisions()).toEqual({ LENA: 'nameGivenUp' });
    });

    it('become a collision if an earlier version adds the name of an expected one in another case', async () => {
      await addedFolded(predecessor, 'maja', 'nils');
      await begin();
      await decide();
      await addedFolded(successor, 'MAJA');
      await decide();
      expect(await decisions()).toEqual({ maja: 'nameTaken', nils: 'open' });
    });
  });

  it('stay as they are, whatever happens to the names later', async () => {
    await added(predecessor, 'ines', 'jana');
    await added(successor, 'jana');
    await begin();
    await decide();
    await setUserId(predecessor, 'jana', 'jana-1');
    await setUserId(successor, 'jana', 'jana-1');
    expect((await rename('jana', 'johanna', successor)).status).toBe(200);
    await decide();
    expect(await decisions()).toEqual({ ines: 'open', jana: 'nameTaken' });
    const { body } = await manage('disableall', 'johanna');
    expect(body).toMatchObject({ users: 1, credentials: 1 });
  });

  it('keep what an earlier version stored: links and separate names', async () => {
    await added(predecessor, 'karl', 'lena');
    await added(successor, 'carl');
    await linkUsers(server, [predecessor, successor], 'karl', 'carl');
    await begin();
    await added(successor, 'lena');
    await manage('deluser', 'lena');
    await decide();
    expect(await decisions()).toEqual({ karl: 'carl', lena: 'nameGivenUp' });
  });

  it('become a collision if an earlier version adds a user with the name of an expected one', async () => {
    await added(predecessor, 'maja', 'nils');
    await begin();
    await decide();
    await added(successor, 'maja');
    expect((await manage('disableall', 'maja')).body).toMatchObject({ users: 1 });
    await decide();
    expect(await decisions()).toEqual({ maja: 'nameTaken', nils: 'open' });
  });

  it('prevail over a link that an earlier version stores for a collision', async () => {
    await added(predecessor, 'olaf');
    await added(successor, 'olaf');
    await begin();
    await decide();
    await server.get(Database).commit([linkStep([predecessor, successor], 'olaf')]);
    expect((await manage('disableall', 'olaf')).body).toMatchObject({ users: 1, credentials: 1 });
    const { body } = await admin.get(`/userapi/collisions?relyingParty=${successor.domain}`);
    expect(body['collisions']).toEqual([{ username: 'olaf', reason: 'nameTaken' }]);
  });

  it('include users whom an earlier version adds at the predecessor later', async () => {
    await begin();
    await decide();
    await added(predecessor, 'paul');
    await decide();
    expect(await decisions()).toEqual({ paul: 'open' });
  });

  it('end with the user of the predecessor, and with the move', async () => {
    await added(predecessor, 'rita', 'sven', 'tina');
    await added(successor, 'tina', 'una');
    await linkUsers(server, [predecessor, successor], 'sven', 'una');
    await begin();
    await decide();
    await manage('deluser', 'rita', predecessor.domain);
    expect(await decisions()).toEqual({ sven: 'una', tina: 'nameTaken' });
    expect(await countOf(server, 'moves WHERE relying_party_id = ?', successor.id)).toBe(1);
    await setPredecessor(null);
    await decide();
    expect(await decisions()).toEqual({ sven: 'una', tina: 'open' });
  });

  it('are not made about an expected user again who is renamed at the predecessor', async () => {
    await added(predecessor, 'uwe', 'vera');
    await begin();
    await decide();
    expect((await rename('uwe', 'urs', predecessor)).status).toBe(200);
    await added(predecessor, 'uwe');
    await decide();
    expect(await decisions()).toEqual({ urs: 'linked', uwe: 'nameGivenUp', vera: 'open' });
  });

  it('are none about a user who is renamed after the rule has read the user', async () => {
    await added(predecessor, 'wanda');
    await begin();
    const held = holdNextQuery(server.get(Database), PREDECESSOR_USERS);
    const decided = decide();
    await held.reached;
    expect((await rename('wanda', 'wilma', successor)).status).toBe(200);
    held.letGo();
    await decided;
    expect(await decisions()).toEqual({ wilma: 'linked' });
  });

  it('are none about an expected user who is renamed again after the rule has read the user', async () => {
    await added(predecessor, 'wanda');
    await begin();
    expect((await rename('wanda', 'wilma', successor)).status).toBe(200);
    const [{ id } = { id: newId() }] = await rowsOf<{ id: Buffer }>(
      server,
      'SELECT id FROM users WHERE relying_party_id = ?',
      predecessor.id,
    );
    const held = holdNextQuery(server.get(Database), PREDECESSOR_USERS);
    const storing = server
      .get(SameUsers)
      .storing(relyingPartyOf(server, successor.domain), predecessor, [id]);
    await held.reached;
    expect((await rename('wilma', 'wendy', successor)).status).toBe(200);
    held.letGo();
    await server.get(Database).commit(await storing);
    expect(await decisions()).toEqual({ wendy: 'linked' });
  });

  it('are listed as JSON, CSV and a page, and a collision is resolved by an account', async () => {
    await added(predecessor, 'yves', 'yul');
    await added(successor, 'yves', 'yul');
    await begin();
    await decide();
    const at = new AdminClient(server.url, successor.domain);
    const csv = await at.get('/userapi/collisions?format=csv');
    expect(csv.text).toContain('"yves","nameTaken"');
    const page = await at.get('/userapi/collisions?format=html');
    expect(page.text).toContain('Another user has the name here');
    expect(page.text).toContain('name="username" value="yul"');
    const linked = await at.post('/userapi/collisions', { username: 'yves' });
    expect(linked).toMatchObject({ status: 201, body: { relyingParty: successor.domain } });
    const once = await server.snapshot();
    const again = await at.post('/userapi/collisions', { username: 'yves' });
    expect([again.status, again.body]).toEqual([201, { ...linked.body }]);
    expect(await server.snapshot()).toBe(once);
    expect(await decisions()).toEqual({ yves: 'yves', yul: 'nameTaken' });
    const collision = { relyingParty: successor.domain, username: 'yul' };
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

  it('stay as they are if the name belongs to another user of the predecessor (E0044R)', async () => {
    await added(predecessor, 'lea', 'kim');
    await added(successor, 'lea');
    await setUserId(predecessor, 'kim', 'kim-1');
    await setUserId(successor, 'lea', 'kim-1');
    await begin();
    await decide();
    const decided = { kim: 'lea', lea: 'nameTaken' };
    expect(await decisions()).toEqual(decided);
    const at = new AdminClient(server.url, successor.domain);
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
    await added(predecessor, 'xena', 'xaver');
    await added(successor, 'xaver');
    await linkUsers(server, [predecessor, successor], 'xaver');
    await setUserId(predecessor, 'xena', 'xaver-1');
    await setUserId(successor, 'xaver', 'xaver-1');
    await begin();
    await decide();
    expect(await decisions()).toEqual({ xaver: 'xaver', xena: 'userIdTaken' });
    const page = await new AdminClient(server.url, successor.domain).get(
      '/userapi/collisions?format=html',
    );
    expect(page.text).toContain('xena');
    expect(page.text).not.toContain('name="username" value="xena"');
  });

  it('decisions are counted by a dry run, which changes nothing', async () => {
    await added(predecessor, 'zoe', 'zac', 'zia');
    await added(successor, 'zac');
    const path = `/tenantapi/tenants/acme/relying-parties/${successor.domain}`;
    const patch = (query: string, more = {}) =>
      admin.patch(`${path}${query}`, { predecessor: predecessor.domain, ...more });
    const before = await server.snapshot();
    const rows = await countOf(server, 'audit');
    const { status, body } = await patch('?dryRun=yes');
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        dryRun: true,
        move: { users: 3, links: 2, collisions: 1, complete: true },
        predecessor: predecessor.domain,
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
    expect((await patch('')).body).toMatchObject({ predecessor: predecessor.domain });
  });

  it('store no link for a user who is not at the successor, which 1.0 takes for an administrator’s', async () => {
    await added(predecessor, 'wanda');
    await begin();
    await decide();
    expect(await countOf(server, 'moves WHERE relying_party_id = ?', successor.id)).toBe(0);
    const [wanda] = await rowsOf<{ id: Buffer }>(
      server,
      'SELECT id FROM users WHERE relying_party_id = ?',
      predecessor.id,
    );
    const id = wanda?.id ?? newId();
    const found = await server
      .get(SameUsers)
      .ofPredecessor(relyingPartyOf(server, successor.domain), [id]);
    expect(found.get(mapKey(id))).toEqual({ userId: userIdAt(successor, id), name: undefined });
  });

  it('are not changed by the new name of a user who is not at the successor yet', async () => {
    await added(successor, 'xander');
    await manage('deluser', 'xander');
    await added(predecessor, 'walter');
    await begin();
    await decide();
    expect((await rename('walter', 'xander', predecessor)).status).toBe(200);
    await decide();
    expect(await decisions()).toEqual({ xander: 'linked' });
  });

  // Last: the other instance takes over the audit trail.
  it('are made by two instances at once as by one, and by one that stops after each batch', async () => {
    const users = Array.from({ length: MANY }, (_, n) => `user-${String(n).padStart(4, '0')}`);
    await added(predecessor, ...users);
    await added(successor, ...users.filter((_, n) => n % 2 === 0));
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
          successor.id,
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

  function setPredecessor(domain: string | null) {
    return server
      .get(TenancyService)
      .changeRelyingParty(server.call, 'acme', successor.domain, { predecessor: domain });
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
   * By names at the predecessor: the name at the successor, the reason of the collision, `linked` for a link to a user
   * who is not there yet, or `open` if nothing is stored.
   */
  async function decisions() {
    const rows = await rowsOf<Record<'name' | 'successorName' | 'link' | 'reason', Buffer | null>>(
      server,
      `SELECT p.username AS name, s.username AS successorName, m.user_id AS link, c.reason AS reason
       FROM users p LEFT JOIN moves m ON m.former_user_id = p.id AND m.relying_party_id = ?
       LEFT JOIN users s ON s.id = m.user_id
       LEFT JOIN collisions c ON c.former_user_id = p.id AND c.relying_party_id = ?
       WHERE p.relying_party_id = ?`,
      successor.id,
      successor.id,
      predecessor.id,
    );
    const said = ({ successorName, link, reason }: (typeof rows)[number]) =>
      String(reason ?? successorName ?? (link ? 'linked' : 'open'));
    return Object.fromEntries(rows.map((row) => [String(row.name), said(row)]));
  }

  function manage(type: string, filter: string, relyingParty = successor.domain) {
    return new AdminClient(server.url, relyingParty).managePost({ type, filter });
  }

  function rename(username: string, newUsername: string, { domain: relyingParty }: RelyingParty) {
    return admin.patch('/userapi/users', { username, newUsername, relyingParty });
  }
});
