import fc from 'fast-check';
import { Pattern } from '../../src/users/search/pattern.js';
import type { WalkPlace } from '../../src/users/list/walk.js';
import { UserSearch } from '../../src/users/search/user-search.js';
import { isName } from '../../src/platform/validation/values/names.js';
import { AdminClient } from '../support/admin-client.js';
import { DATABASES } from '../support/databases.js';
import { settle } from '../support/settled-users.js';
import { relyingPartyOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

const NAMES = 10_000;
/** All ten thousand take minutes: `LIST_FILTERS=10000 npm test -- user-admin/manage-users.e2e`. */
const FILTERS = Number(process.env['LIST_FILTERS'] ?? 400);
/** Few characters, so that filters find something: of one to four bytes, and all special ones. */
const LETTERS = [...'abAB%_\\\'"?[]-^$.+', ' ', '*', 'é', 'e\u0301', 'ſ', 'ß', '中', '𝔞', '😀'];

const words = (maxLength: number, letters: readonly string[]) =>
  fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength }).map((parts) => parts.join(''));
const filters = words(6, [...LETTERS, '*', '*', '*']);

const bytesOf = (name: string) => Buffer.from(name, 'utf8');
const sorted = (names: readonly string[]) =>
  [...names].sort((a, b) => Buffer.compare(bytesOf(a), bytesOf(b)));

/** The rule in words: the asterisk is anything, the rest is itself, in NFC. */
function matchingIn(names: readonly string[], filter: string): string[] {
  const parts = filter.normalize('NFC').split('*');
  const quoted = parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const rule = new RegExp(`^${quoted.join('.*')}$`, 'su');
  return names.filter((name) => rule.test(name));
}

describe.each(DATABASES)('the list of users that a change affects, on %s', (on) => {
  let server: TestServer;
  let names: string[];
  beforeAll(async () => {
    server = await TestServer.start({ on });
    const made = fc.sample(words(7, LETTERS), { numRuns: 2 * NAMES }).filter(isName);
    names = sorted([...new Set(made.map((name) => name.normalize('NFC')))].slice(0, NAMES));
    const users = names.map((username) => ({ username, devices: [] }));
    await settle(server, relyingPartyOf(server, 'localhost'), users);
  });
  afterAll(() => server.stop());

  it('equals the result of the search for each filter, page by page', async () => {
    const search = server.get(UserSearch);
    const rps = [relyingPartyOf(server, 'localhost')];
    for (const [n, filter] of fc.sample(filters, { numRuns: FILTERS }).entries()) {
      const criterion = { name: new Pattern(filter) };
      // Pages that end early and slices that are small meet every edge.
      const span = n % 50 === 0 ? { limit: 30, budgetMs: 0, slice: 700 } : { limit: 1000 };
      const found: string[] = [];
      let after: WalkPlace | undefined;
      do {
        const page = await search.page(rps, criterion, { ...span, after });
        found.push(...page.users.map(({ username }) => username));
        after = page.next;
      } while (after && found.length < 1000);
      const expected = matchingIn(names, filter);
      const same = after ? expected.slice(0, found.length) : expected;
      expect([filter, found]).toEqual([filter, same]);
    }
  });

  it('the list of affected users is empty after a deletion by the same filter', async () => {
    await server.addRelyingParty('acme', { domain: 'acme.example' });
    const users = names.map((username) => ({ username, devices: [] }));
    await settle(server, relyingPartyOf(server, 'acme.example'), users);
    const admin = new AdminClient(server.url, 'acme.example');
    let left = names;
    for (const filter of [...fc.sample(filters, { numRuns: 150 }), '*']) {
      const listed = await admin.names(filter, { limit: '1000' });
      expect([filter, listed]).toEqual([filter, matchingIn(left, filter)]);
      if (filter.trim() === '') continue;
      const body = { type: 'deluser', filter, confirm: 'all' };
      const answer = (await admin.managePost(body)).body;
      const affected = (answer['affected'] ?? []) as { username: string }[];
      expect(sorted(affected.map(({ username }) => username))).toEqual(listed);
      expect(answer['users'] ?? 0).toBe(listed.length);
      const gone = new Set(listed);
      left = left.filter((name) => !gone.has(name));
    }
    expect(await admin.names()).toEqual([]);
  });
});
