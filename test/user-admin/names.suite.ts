import { jest } from '@jest/globals';
import { decodeJwt } from 'jose';
import { AuditTrail } from '../../src/audit/audit-trail.js';
import { EarlierNames } from '../../src/users/earlier-names/earlier-names.js';
import { searchCursor } from '../../src/user-admin/list-cursors.js';
import { NameSearch, type SearchPlace } from '../../src/users/search/name-search.js';
import { SearchFilling } from '../../src/users/search/search-filling.js';
import { UserSearch } from '../../src/users/search/user-search.js';
import { Database } from '../../src/platform/database/database.js';
import { RelyingPartyCache } from '../../src/tenancy/scope/relying-party-cache.js';
import type { ReadTurn } from '../../src/platform/common/turns/read-turns.js';
import { AdminClient } from '../support/admin-client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { settle } from '../support/settled-users.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { countOf, relyingPartyOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

describe.each(DATABASES)('renaming by /userapi/users on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on });
  });
  afterAll(() => server.stop());

  const change = (body: object) =>
    new AdminClient(server.url, 'localhost').patch('/userapi/users', body);
  const registered = (username: string) => FidoClient.registered(server.url, username);

  it('keeps the keys, so that the user signs in only by the new name', async () => {
    const nora = await registered('nora');
    const old = String((await nora.signIn('nora')).body['token']);
    const wish = { username: 'nora', newUsername: 'nora.smith', displayName: 'Nora Smith' };
    const changed = await change(wish);
    expect(changed).toMatchObject({
      status: 200,
      body: { username: 'nora.smith', displayName: 'Nora Smith', credentials: 1 },
    });
    const { status, body } = await nora.signIn('nora.smith');
    expect(status).toBe(200);
    expect(body).toMatchObject({ username: 'nora.smith', displayName: 'Nora Smith' });
    expect(decodeJwt(String(body['token'])).sub).toBe('nora.smith');
    expect((await nora.beginAuthentication('nora')).status).toBe(403);
    const headers = { authorization: `Bearer ${old}` };
    const [key] = nora.authenticator.credentials;
    const path = `/fidoapi/keys/${key?.id.toString('base64url')}?confirm=last`;
    expectRefusal(await nora.send(path, { method: 'DELETE', headers }), 'E0043R');
    expect((await registered('nora')).authenticator.credentials).toHaveLength(1);
  });

  it('changes only the display name if the name is the same', async () => {
    const bea = await registered('bea');
    expect((await change({ username: 'bea', displayName: 'Bea B.' })).status).toBe(200);
    expect((await bea.signIn('bea')).body).toMatchObject({ displayName: 'Bea B.' });
  });

  it('keeps a user whose name of an earlier version contains a noncharacter, and gives it to nobody', async () => {
    const noa = await registered('noa');
    const old = 'noa\uffff';
    const sql = 'UPDATE users SET username = ? WHERE username = ?';
    const params = [old, 'noa'].map((name) => Buffer.from(name));
    await server.get(Database).commit([{ sql, params }]);
    expect((await noa.signIn(old)).body).toMatchObject({ username: old });
    const admin = new AdminClient(server.url, 'localhost');
    expect(await admin.names()).toContain(old);
    expectRefusal(await new FidoClient(server.url).beginRegistration('noa\ufffe'), 'E0001R', 400);
    expectRefusal(await change({ username: old, newUsername: 'noa\ufdd0' }), 'E0045R', 400);
    expect((await change({ username: old, newUsername: 'noa' })).status).toBe(200);
    expect((await noa.signIn('noa')).status).toBe(200);
  });

  it.each([
    ['E0045R', 400, 'a name that another user has', { username: 'cleo', newUsername: 'dora' }],
    ['E0045R', 400, 'nothing to change', { username: 'cleo' }],
    ['E0045R', 400, 'a name that is none', { username: 'cleo', newUsername: ' cleo' }],
    ['E0045R', 400, 'a display name that is none', { username: 'cleo', displayName: '' }],
    ['E0044R', 404, 'a user who is not there', { username: 'nobody', displayName: 'N' }],
  ])('is refused by %s (%d) for %s, and changes nothing', async (code, status, _, body) => {
    await registered('cleo');
    await registered('dora');
    const before = await server.snapshot();
    expectRefusal(await change(body), code, status);
    expect(await server.snapshot()).toBe(before);
  });

  it('gives one name to one of two users at once', async () => {
    await registered('emma');
    await registered('fran');
    const answers = await Promise.all(
      ['emma', 'fran'].map((username) => change({ username, newUsername: 'wanted' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  it('keeps a display name that is changed while the user name is', async () => {
    const ida = await registered('ida');
    const log = server.get(AuditTrail);
    const commit = log.commit.bind(log);
    jest.spyOn(log, 'commit').mockImplementationOnce(async (...stored) => {
      expect((await change({ username: 'ida', displayName: 'Ida I.' })).status).toBe(200);
      return commit(...stored);
    });
    const names = { username: 'ida.i', displayName: 'Ida I.' };
    const changed = await change({ username: 'ida', newUsername: 'ida.i' });
    expect(changed).toMatchObject({ status: 200, body: names });
    expect((await ida.signIn('ida.i')).body).toMatchObject(names);
  });

  describe('a search by GET /userapi/users', () => {
    const admin = () => new AdminClient(server.url, 'localhost');
    const search = async (text: string, more = '') => {
      const query = `search=${encodeURIComponent(text)}${more}`;
      return (await admin().get(`/userapi/users?${query}`)).body;
    };
    const found = async (text: string) =>
      ((await search(text))['users'] as { username: string }[]).map(({ username }) => username);
    const arrive = (username: string, displayName: string) =>
      new FidoClient(server.url).register(username, { displayName });
    const wordsOf = (username: string) =>
      countOf(
        server,
        'search_words w JOIN users u ON u.id = w.user_id WHERE u.username = ?',
        Buffer.from(username),
      );

    const annas = ['anna', 'anna.smith', 'k4711@example.com', 'k4712@example.com'];

    beforeAll(async () => {
      // Otherwise the server's own job could store the words of a name that is being changed.
      await server.get(SearchFilling).catchUp();
      await arrive('anna', 'Anna');
      await arrive('anna.smith', 'Anna Smith');
      await arrive('andersson', 'Björn Andersson');
      await arrive('k4711@example.com', 'Anna Andersson');
      await arrive('k4712@example.com', 'Anna-Lena Anderssonson');
      await arrive('soren', "Søren O'Brien");
      await arrive('taro', '山田太郎');
    });

    it.each([
      ['any word, in any case', 'ANNA', annas],
      ['the whole name first', 'anna andersson', ['k4711@example.com', 'k4712@example.com']],
      ['words in any order', 'anderssons lena', ['k4712@example.com']],
      ['an exact user name first', 'andersson', 'andersson'],
      ['names without their accents', 'soren', ['soren']],
      ['names by the accents that they have not', 'bjorn', ['andersson']],
      ['the part behind an apostrophe', 'brien', ['soren']],
      ['a part of a name without blanks', '太郎', ['taro']],
      ['how a user name is written', 'k4711@', ['k4711@example.com']],
      ['nobody', 'anna brien', []],
    ])('matches %s: %s', async (_, text, expected) => {
      const users = await found(text);
      expect(typeof expected === 'string' ? users[0] : users).toEqual(expected);
    });

    it('reports whether more users match', async () => {
      expect(await search('anna', '&limit=3')).toMatchObject({ more: true });
      expect(await search('anna', '&limit=4')).toMatchObject({ more: false });
    });

    it('finds renamed users and forgets deleted ones', async () => {
      await arrive('greta', 'Greta Zwei');
      await change({ username: 'greta', newUsername: 'greta.drei', displayName: 'Greta Drei' });
      expect([await found('zwei'), await found('drei')]).toEqual([[], ['greta.drei']]);
      await arrive('greta.drei', 'Greta Vier');
      expect([await found('drei'), await found('vier')]).toEqual([['greta.drei'], ['greta.drei']]);
      expect(await wordsOf('greta.drei')).toBe(5);
      const before = await countOf(server, 'search_words');
      await admin().managePost({ type: 'deluser', filter: 'greta.drei' });
      expect(await countOf(server, 'search_words')).toBe(before - 5);
    });

    /** As after an upgrade that changes the words. The server's own job would fill the index beside the test. */
    const forgetWords = async () => {
      await server.get(SearchFilling).onModuleDestroy();
      await server.get(Database).commit(
        ['search_progress', 'search_positions', 'search_words'].map((table) => ({
          sql: `DELETE FROM ${table}`,
          params: [],
        })),
      );
    };
    const newFilling = () => new SearchFilling(server.get(Database), server.get(RelyingPartyCache));
    const searchWith = (filling: SearchFilling) =>
      new NameSearch(
        server.get(Database),
        server.get(UserSearch),
        filling,
        server.get(EarlierNames),
      );

    it('finds the users of a small tenant after an upgrade before all of a large one are read', async () => {
      const large = 'a-large.example';
      const small = 'b-small.example';
      await server.addRelyingParty('large', { domain: large });
      await server.addRelyingParty('small', { domain: small });
      const allUsers = Array.from({ length: 1_000 }, (_, n) => ({ username: `Viele-${n}` }));
      await settle(server, relyingPartyOf(server, large), allUsers);
      await settle(server, relyingPartyOf(server, small), [{ username: 'Frühe Wenige' }]);
      await forgetWords();
      const filling = newFilling();
      const tenants = new Set(
        server.get(RelyingPartyCache).current.all.map(({ tenant }) => tenant),
      );
      let left = 2 * tenants.size;
      await filling.catchUp(() => (left -= 1) >= 0);
      // On a busy machine a search would otherwise end before it has found the user.
      const find = (domain: string, text: string, budgetMs = 5_000) =>
        searchWith(filling).find([relyingPartyOf(server, domain)], text, {
          limit: 5,
          budgetMs,
        });
      expect(await find(small, 'wenige')).toMatchObject({ users: { length: 1 }, complete: true });
      expect(await find(large, 'viele 999', 0)).toMatchObject({ complete: false });
      await filling.catchUp();
      expect(await find(large, 'viele 999')).toMatchObject({
        users: { length: 1 },
        complete: true,
      });
    });

    it('says after an upgrade that it does not know all names yet', async () => {
      const allUsers = Array.from({ length: 250 }, (_, n) => ({ username: `Früher-${n}` }));
      await settle(server, relyingPartyOf(server, 'localhost'), allUsers);
      await forgetWords();
      const one = newFilling();
      const other = newFilling();
      const anew = searchWith(one);
      const rps = [relyingPartyOf(server, 'localhost')];
      const ask = (text: string) => anew.find(rps, text, { limit: 5, budgetMs: 5_000 });
      expect(await ask('fruher 249')).toEqual({ users: [], more: false, complete: false });
      expect(await ask('Früher-24')).toMatchObject({ users: { length: 5 }, complete: false });
      await Promise.all([one.catchUp(), other.catchUp()]);
      const after = await ask('fruher 249');
      expect(after).toMatchObject({ users: [{ username: 'Früher-249' }], complete: true });
      expect(await ask('frueher 249')).toMatchObject({ users: after.users });
      expect(await wordsOf('Früher-7')).toBe(4);
    });

    it('finds an exact name at each relying party without a time limit', async () => {
      const domains = ['late-a.example', 'late-b.example', 'late-c.example'];
      for (const domain of domains) {
        await server.addRelyingParty('late', { domain });
        await settle(server, relyingPartyOf(server, domain), [
          { username: `zoe@${domain}`, devices: [] },
        ]);
      }
      const rps = domains.map((domain) => relyingPartyOf(server, domain));
      const search = server.get(NameSearch);
      for (const domain of domains) {
        const { users } = await search.find(rps, `zoe@${domain}`, { limit: 5, budgetMs: 0 });
        expect(users).toMatchObject([{ username: `zoe@${domain}` }]);
      }
    });

    it('a search by GET /userapi/users does not read further relying parties once its time is over', async () => {
      const domains = Array.from({ length: 12 }, (_, n) => `many-${n + 10}.example`);
      for (const domain of domains) await server.addRelyingParty('many', { domain });
      const last = relyingPartyOf(server, domains.at(-1) as string);
      await settle(server, last, [{ username: 'Ysolde of before', devices: [] }]);
      await new AdminClient(server.url, last.domain).patch('/userapi/users', {
        username: 'Ysolde of before',
        newUsername: 'Xenia of now',
      });
      const rps = domains.map((domain) => relyingPartyOf(server, domain));
      const turnsOf = async (count: number, text: string) => {
        let turns = 0;
        const turn: ReadTurn = (part) => {
          turns += 1;
          return part();
        };
        const span = { limit: 5, budgetMs: 0, turn };
        const { users } = await server.get(NameSearch).find(rps.slice(0, count), text, span);
        return { turns, names: users.map(({ username }) => username) };
      };
      const few = await turnsOf(3, 'nobody has this name');
      expect(await turnsOf(12, 'nobody has this name')).toEqual({ ...few, names: [] });
      expect((await turnsOf(12, 'Xenia of')).names).toEqual(['Xenia of now']);
      expect((await turnsOf(12, 'Ysolde of before')).names).toEqual(['Xenia of now']);
    });

    it('a search by GET /userapi/users continues after its time limit until every match is found', async () => {
      const domains = ['on-a.example', 'on-b.example', 'on-c.example'];
      for (const domain of domains) {
        await server.addRelyingParty('on', { domain });
        await settle(server, relyingPartyOf(server, domain), [
          { username: `later quirin ${domain}`, devices: [] },
        ]);
      }
      const rps = domains.map((domain) => relyingPartyOf(server, domain));
      const search = server.get(NameSearch);
      const found: string[] = [];
      let from: SearchPlace | undefined;
      do {
        const allUsers = await search.find(rps, 'quirin', { limit: 5, budgetMs: 0, from });
        found.push(...allUsers.users.map(({ username }) => username));
        from = allUsers.next;
      } while (from);
      expect(found).toEqual(domains.map((domain) => `later quirin ${domain}`));
      const everywhere = new AdminClient(server.url);
      const countFrom = async (domain: string): Promise<number> => {
        let cursor: unknown = searchCursor({ domain, lookedAt: 0 });
        let count = 0;
        while (cursor !== null) {
          const { body } = await everywhere.get(`/userapi/users?search=quirin&cursor=${cursor}`);
          count += (body['users'] as unknown[]).length;
          cursor = body['next'];
        }
        return count;
      };
      expect(await countFrom('on-b.example')).toBe(2);
      expect(await countFrom('removed.example')).toBe(3);
    });

    it.each([
      '',
      'search=',
      'search=a&cursor=nonsense',
      'search=+',
      'search=a&search=b',
      'search=a&limit=0',
      'search=%ff',
    ])('a search by GET /userapi/users is refused for the words "%s" (E0045R)', async (query) => {
      expectRefusal(await admin().get(`/userapi/users?${query}`), 'E0045R', 400);
    });
  });
});
