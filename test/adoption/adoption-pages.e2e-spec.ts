import { adminClient } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { settle } from '../support/people.js';
import { relyingPartyOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

const OLD = 'old.example';
const NEW = 'new.example';

describe.each(DATABASES)('the pages on adoption, on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    const policy = { registration: 'ticket' } as const;
    await server.addRelyingParty('acme', { domain: OLD, policy });
    await server.addRelyingParty('acme', { domain: NEW, predecessor: OLD });
  });
  afterAll(() => server.stop());

  const page = async (path: string) =>
    (await adminClient(server.url).get(path, { accept: 'text/html' })).text.replaceAll(
      /<\/?bdi>/g,
      '',
    );
  const people = (domain: string, ...names: string[]) =>
    settle(
      server,
      relyingPartyOf(server, domain),
      names.map((username) => ({ username })),
    );

  it('show how far a move has come, at both domains, from before its first user on', async () => {
    const both = [OLD, NEW].flatMap((rp) => [`/adoption?rp=${rp}`, `/tenants/acme/${rp}`]);
    const progress = async () => {
      const texts = await Promise.all(both.map(page));
      return texts.map((text) => /\d+ of \d+ users have a key at [^<]*/.exec(text)?.[0]);
    };
    expect(new Set(await progress())).toEqual(new Set([`0 of 0 users have a key at ${NEW} (–).`]));
    await people(OLD, 'anna', 'ben', 'carl');
    await people(NEW, 'anna');
    expect(new Set(await progress())).toEqual(
      new Set([`1 of 3 users have a key at ${NEW} (33 %).`]),
    );
  });

  it('show no move where there is none', async () => {
    expect(await page('/adoption?rp=localhost')).not.toContain('Move from');
    expect(await page('/tenants/default/localhost')).not.toContain('Move from');
  });
});
