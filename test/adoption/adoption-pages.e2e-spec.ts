import { jest } from '@jest/globals';
import { Database } from '../../src/platform/database/database.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { MoveCounts } from '../../src/users/moves/move-counts.js';
import { COUNT_MOVED } from '../../src/users/moves/move-decision.statements.js';
import { sendForm } from '../support/console-form.js';
import { AdminClient } from '../support/admin-client.js';
import { adminClient } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { linkUsers, settle } from '../support/settled-users.js';
import { relyingPartyOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

const OLD = 'old.example';
const DAY_MS = 86_400_000;
const NEW = 'new.example';

describe.each(DATABASES)('the pages on adoption, on %s', (on) => {
  let server: TestServer;
  let domain: string;
  let opened = 0;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    await startMove(server);
  });
  beforeEach(async () => {
    domain = `place-${(opened += 1)}.example`;
    await server.addRelyingParty('acme', { domain });
  });
  afterAll(() => server.stop());

  const page = (path: string) => pageOf(server, path);

  it('show the progress of a move at both domains, even before its first user moved', async () => {
    const both = [OLD, NEW].flatMap((rp) => [`/adoption?rp=${rp}`, `/tenants/acme/${rp}`]);
    const progress = async () => {
      const texts = await Promise.all(both.map(page));
      return texts.map((text) => /Users with a key at [^<]*/.exec(text)?.[0]);
    };
    expect(new Set(await progress())).toEqual(new Set([`Users with a key at ${NEW}: 0 of 0 (–).`]));
    await moveOne(server);
    await eventually(async () =>
      expect(new Set(await progress())).toEqual(
        new Set([`Users with a key at ${NEW}: 1 of 3 (33%).`]),
      ),
    );
  });

  it('count the users of a move in parts, without namesakes, and once for simultaneous readers', async () => {
    const from = 'before.example';
    const to = 'after.example';
    const policy = { registration: 'ticket' } as const;
    await server.addRelyingParty('many', { domain: from, policy });
    await server.addRelyingParty('many', { domain: to, predecessor: from });
    await newUsers(server, from, ...Array.from({ length: 5100 }, (_, n) => `user-${n}`));
    await newUsers(server, to, 'user-7', 'user-4000', 'user-9', 'somebody-else');
    const places = [relyingPartyOf(server, from), relyingPartyOf(server, to)] as const;
    for (const name of ['user-7', 'user-4000']) await linkUsers(server, places, name);
    const shown = jest.spyOn(server.get(MoveCounts), 'shown');
    const database = server.get(Database);
    const query = database.query.bind(database) as (...args: unknown[]) => Promise<unknown>;
    let parts = 0;
    // Both have asked before the count ends, since its result is kept for a moment only.
    const counting = async (...args: unknown[]) => {
      if (args[0] === COUNT_MOVED) {
        parts += 1;
        await eventually(() => expect(shown).toHaveBeenCalledTimes(2));
      }
      return query(...args);
    };
    Object.assign(database, { query: counting });
    const texts = await Promise.all([from, to].map((rp) => page(`/tenants/many/${rp}`)));
    Object.assign(database, { query });
    shown.mockRestore();
    for (const text of texts) expect(text).toContain(`Users with a key at ${to}: 2 of 5,100 (0%).`);
    expect(parts).toBe(2);
    const tenancy = server.get(TenancyService);
    await tenancy.removeRelyingParty(server.call, 'many', to);
    await tenancy.removeRelyingParty(server.call, 'many', from);
  });

  it('show no move for a relying party without one', async () => {
    expect(await page(`/adoption?rp=${domain}`)).not.toContain('Move from');
    expect(await page(`/tenants/acme/${domain}`)).not.toContain('Move from');
  });

  it('show the weekly share of users with a key as a curve and as a table', async () => {
    await halfAdopted(server, domain);
    await ownPage('1 of 2');
    const text = await ownPage('class="curve"');
    expect(text).toMatch(
      /<circle cx="98%" cy="47%" r="4"><title>\d+ [A-Z][a-z]+ \d{4}: 50% \(1\)<\/title>/,
    );
    expect(text).toMatch(
      /<th scope="row">\d+ [A-Z][a-z]+ \d{4}<\/th><td class="number">1<\/td><td class="number">2<\/td>/,
    );
  });

  const save = (fields: Record<string, string>) => {
    const headers = { accept: 'text/html' };
    return sendForm(server, '/adoption/target', { rp: domain, ...fields }, { headers });
  };
  const shownVersion = async () =>
    /name="version" value="&quot;(\d+)&quot;"/.exec(await page(`/adoption?rp=${domain}`))?.[1];

  it('save a target, draw it as a line and list it', async () => {
    await halfAdopted(server, domain);
    expect((await save({ share: '80', by: '2099-03-01', version: '"0"' })).status).toBe(303);
    const own = await ownPage('class="curve"');
    expect(own).toContain('Not reached yet');
    expect(own.match(/>\d+%<\/text>/g)).toEqual(['>0%</text>', '>50%</text>', '>100%</text>']);
    expect(own).toMatch(/<line class="target"[^>]*\/><text[^>]*>Target: 80%/);
    expect(await page('/adoption')).toMatch(/80% <small class="muted">1 March 2099|March 1, 2099/);
    const admin = new AdminClient(server.url, domain);
    const { body } = await admin.get('/userapi/audit?action=relying-party.change');
    expect(body['entries']).toMatchObject([
      {
        relyingParty: domain,
        tenant: 'acme',
        result: 'ok',
        detail: { 'adoptionTarget after': '{"share":80,"by":"2099-03-01"}' },
      },
    ]);
    expect(await page('/userapi/audit?action=relying-party.change')).toContain(
      '<dt>target of adoption</dt>',
    );
  });

  it('report the mistakes of a target in the words of the form (E0045R)', async () => {
    const wrong = await save({ share: '101', by: '', version: '"0"' });
    expect(wrong.status).toBe(400);
    expect(wrong.text).toContain('Enter a whole number from 1 to 100.');
    const dateless = await save({ share: '80', by: '', version: '"0"' });
    expect(dateless.text).toContain('Choose a day.');
  });

  it('refuse to overwrite a target that has changed since, and keep the typed values (E0053R)', async () => {
    await halfAdopted(server, domain);
    const version = `"${await shownVersion()}"`;
    expect((await save({ share: '50', by: '2099-03-01', version })).status).toBe(303);
    const late = await save({ share: '60', by: '2099-03-01', version });
    expect(late.status).toBe(412);
    expect(late.text).toContain('name="share" min="1" max="100" value="60"');
    await ownPage('Reached');
  });

  it('store one of two targets that are saved from the same page at once (E0053R)', async () => {
    const version = `"${await shownVersion()}"`;
    const sent = ['70', '75'].map((share) => save({ share, by: '2099-03-01', version }));
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([303, 412]);
  });

  const patch = (body: object, headers: Record<string, string> = {}, at = domain) =>
    adminClient(server.url).patch(`/userapi/adoption/targets/${at}`, body, headers);
  const targets = async () =>
    (await adminClient(server.url).get('/userapi/adoption/targets')).body['targets'];

  it('let programs read all targets, and change one that has not changed since', async () => {
    const before = await shownVersion();
    const changed = await patch({ share: 90, by: '2099-06-30' }, { 'if-match': `"${before}"` });
    expect(changed.status).toBe(200);
    const version = Number(await shownVersion());
    const target = {
      relyingParty: domain,
      share: 90,
      by: '2099-06-30',
      expectedUsers: null,
      version,
    };
    expect(changed.body['target']).toEqual(target);
    expect(changed.headers.get('etag')).toBe(`"${version}"`);
    const read = await adminClient(server.url).get(`/userapi/adoption/targets/${domain}`);
    expect([read.body['target'], read.headers.get('etag')]).toEqual([target, `"${version}"`]);
    const none = { share: null, by: null, expectedUsers: null, version: 0 };
    expect(await targets()).toEqual(
      expect.arrayContaining([
        target,
        ...[NEW, OLD].map((relyingParty) => ({ relyingParty, ...none })),
      ]),
    );
    expectRefusal(await patch({ share: null }, { 'if-match': `"${before}"` }), 'E0053R', 412);
    expectRefusal(await patch({ share: 0, by: '2099-06-30' }), 'E0045R', 400);
    expectRefusal(await patch({ share: 50 }), 'E0045R', 400);
    expectRefusal(await patch({ share: 50, by: '2020-01-01' }), 'E0045R', 400);
    const foreign = await patch({ share: null }, {}, 'nobody.example');
    expect(foreign.body).toMatchObject({ errorCode: 'E0025R' });
    expect(await targets()).toContainEqual(target);
    expect((await patch({ share: null })).body['target']).toMatchObject({ share: null, by: null });
    expect((await patch({ share: 80, by: '2099-03-01' })).status).toBe(200);
  });

  it('leave an audit row of the relying party, however the call writes its domain', async () => {
    const written = `https://${domain.toUpperCase()}`;
    const at = encodeURIComponent(written);
    expect((await patch({ share: 80, by: '2099-03-01' }, {}, at)).status).toBe(200);
    const headers = { 'x-servicefido-relyingparty': domain };
    const search = '/userapi/audit?action=relying-party.change&limit=1';
    const { body } = await adminClient(server.url).get(`${search}&relyingParty=${domain}`, headers);
    const [newest] = (await adminClient(server.url).get(search)).body['entries'] as unknown[];
    expect(body['entries']).toEqual([newest]);
  });

  it.each([
    ['share', { share: '101', by: '2099-03-01' }],
    ['by', { share: '50', by: '2099-02-30' }],
    ['by', { share: '50' }],
    ['by', { share: '50', by: '2020-01-01' }],
  ])('E0045R: show what is wrong with %s of %j, and change nothing', async (field, fields) => {
    const before = await shownVersion();
    const refused = await save(fields as Record<string, string>);
    expect(refused.status).toBe(400);
    expect(refused.text).toContain(`id="${field}-error"`);
    expect(refused.text).toContain('role="alert" tabindex="-1" autofocus');
    expect(await shownVersion()).toBe(before);
  });

  it('remove a target when its share is left empty', async () => {
    expect((await save({ share: '80', by: '2099-03-01', version: '"0"' })).status).toBe(303);
    expect((await save({ share: '', by: '' })).status).toBe(303);
    expect(await page(`/adoption?rp=${domain}`)).toContain('No target is set.');
  });

  it('store one of two first targets that are saved from the same page at once (E0053R)', async () => {
    const sent = ['70', '75'].map((share) => save({ share, by: '2099-03-01', version: '"0"' }));
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([303, 412]);
  });

  /** The page of the relying party, once it shows this: it is counted beside the page. */
  function ownPage(says: string) {
    return eventually(async () => {
      const text = await page(`/adoption?rp=${domain}`);
      expect(text).toContain(says);
      return text;
    });
  }
});

describe.each(DATABASES)('the page on the adoption of all, on %s', (on) => {
  it('lists all relying parties, with the users who have a key and use it', async () => {
    const server = await TestServer.start({ on });
    await halfAdopted(server, 'localhost');
    await startMove(server);
    await moveOne(server);
    const shown = async () => {
      const text = await pageOf(server, '/adoption');
      const rows = [...text.matchAll(/<tr>\s*<th scope="row">([^]*?)<\/tr>/g)].map(([, row]) =>
        String(row)
          .replaceAll(/<[^>]+>/g, ' ')
          .trim()
          .split(/\s{2,}/),
      );
      expect(rows).toEqual([
        ['localhost', '2', '1', '50%', '1', '–'],
        [NEW, '1', '1', '100%', '0', '–'],
        [OLD, '3', '3', '100%', '0', '–'],
        ['Total', '6', '5', '83%', '1', '–'],
      ]);
      return text;
    };
    // The longer a count took, the longer the server keeps it.
    const text = await eventually(shown);
    await server.stop();
    expect(text).toContain(`<a href="/adoption?rp&#x3D;${OLD}">${OLD}</a>`);
  });
});

function newUsers(server: TestServer, domain: string, ...names: string[]) {
  return settle(
    server,
    relyingPartyOf(server, domain),
    names.map((username) => ({ username })),
  );
}

async function startMove(server: TestServer): Promise<void> {
  const policy = { registration: 'ticket' } as const;
  await server.addRelyingParty('acme', { domain: OLD, policy });
  await server.addRelyingParty('acme', { domain: NEW, predecessor: OLD });
}

/** Three users at the predecessor, one of whom has moved. */
async function moveOne(server: TestServer): Promise<void> {
  await newUsers(server, OLD, 'anna', 'ben', 'carl');
  await newUsers(server, NEW, 'anna');
  await linkUsers(server, [relyingPartyOf(server, OLD), relyingPartyOf(server, NEW)], 'anna');
}

/** Two users, one of whom has a key and uses it. */
async function halfAdopted(server: TestServer, domain: string): Promise<void> {
  const lastUsedAt = server.clock.now() - DAY_MS;
  const both = [{ username: 'dora', lastUsedAt }, { username: 'emil' }];
  await settle(server, relyingPartyOf(server, domain), both);
  await new AdminClient(server.url, domain).manage({ type: 'disableall', filter: 'emil' });
}

async function pageOf(server: TestServer, path: string): Promise<string> {
  const { status, text } = await adminClient(server.url).get(path, { accept: 'text/html' });
  expect({ path, status }).toEqual({ path, status: 200 });
  return text.replaceAll(/<\/?bdi>/g, '');
}
