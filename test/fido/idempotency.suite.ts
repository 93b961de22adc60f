import { randomUUID } from 'node:crypto';
import { jest } from '@jest/globals';
import { ExpiredPermits } from '../../src/fido/tickets/expired-permits.js';
import { MemoryCeremonyStore } from '../../src/fido/ceremonies/stores/memory-ceremony-store.js';
import { KeptAnswers, MemoryClaims } from '../../src/fido/idempotency/kept-answers.js';
import { issueKey } from '../support/application-keys.js';
import { Backend } from '../support/backend.js';
import type { Answer } from '../support/client.js';
import { FidoClient } from '../support/fido-client.js';
import { refusingRows } from '../support/refused-rows.js';
import { countOf } from '../support/rows.js';
import { SITES, Site } from '../support/site.js';
import { TestClock } from '../support/test-server.js';

const CEREMONIES = { tenant: 'default', scopes: ['ceremonies'] };

/** SQLite in memory, and MariaDB with Redis: answers are stored where sessions are. */
const STORES = SITES.filter((name) => !name.includes('one instance on MariaDB'));

describe.each(STORES)('a registration repeated with an Idempotency-Key, on %s', (name) => {
  let site: Site;
  let secret: string;
  beforeAll(async () => {
    site = await Site.start(name);
    secret = (await issueKey(site.first.url, CEREMONIES)).secret;
  });
  afterAll(() => site.stop());

  /** A backend that calls the instances in turn. */
  const backend = (turn = 0, by = secret) =>
    new Backend(site.turn(turn).url, by, { origin: site.first.url });
  /** The body of a result call, and a function that sends it. */
  async function begin(username: string) {
    const shop = backend();
    const begun = await shop.beginRegistration(username);
    const body = { ...shop.create(begun), ceremony: begun.body['ceremony'] };
    const send = (key: string, turn = 0, changed: object = body, by = secret): Promise<Answer> => {
      const client = backend(turn, by);
      const headers = { 'idempotency-key': key };
      return client.post(client.paths.completeRegistration, changed, headers);
    };
    return { shop, body, send };
  }

  it('a registration repeated at any instance returns the first answer and registers once', async () => {
    const { send } = await begin('anna');
    const first = await send('anna-1');
    expect(first).toMatchObject({ status: 200, body: { username: 'anna' } });
    for (const turn of [1, 2]) {
      const again = await send('anna-1', turn);
      expect([again.status, again.text]).toEqual([200, first.text]);
      expect(again.headers.getSetCookie()).toEqual([]);
    }
    const user = Buffer.from('anna');
    expect(
      await countOf(site.first, "events WHERE kind = 'registration' AND username = ?", user),
    ).toBe(1);
  });

  it('a registration whose process died before it answered is answered at any instance', async () => {
    const { send, body } = await begin('died');
    // The commit is the last thing that the first process does.
    const keep = jest.spyOn(site.first.get(KeptAnswers), 'answer');
    keep.mockImplementationOnce((call) => call.run());
    const lost = await send('died-1');
    expect(lost.status).toBe(200);
    const again = await send('died-1', 1);
    expect([again.status, again.text]).toEqual([200, lost.text]);
    const changed = await send('died-1', 1, { ...body, rawId: 'AAAA' });
    expect(changed.body).toMatchObject({ reason: 'idempotencyKey.reused' });
    keep.mockRestore();
    for (const server of site.servers) server.clock.advance(601_000);
    expect((await send('died-1', 1)).body.errorCode).toBe('E0024R');
    await site.first.get(ExpiredPermits).catchUp();
    expect(await countOf(site.first, 'repeatable_registrations')).toBe(0);
  });

  it('six simultaneous registrations with one Idempotency-Key get the same answer', async () => {
    const { send } = await begin('twins');
    const answers = await Promise.all(Array.from({ length: 6 }, (_, n) => send('twins-1', n)));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  it('a refused registration is refused again when repeated, and another one succeeds', async () => {
    const { shop, body, send } = await begin('refused');
    const { response } = body;
    const changed = { ...body, response: { ...response, attestationObject: 'AAAA' } };
    const first = await send('refused-1', 0, changed);
    const again = await send('refused-1', 1, changed);
    expect(first.status).toBe(401);
    const { errorCode, errorMessage } = first.body;
    expect(again).toMatchObject({ status: 401, body: { errorCode, errorMessage } });
    expect((await shop.register('refused')).status).toBe(200);
  });

  it('a registration that failed in the server is completed by a repeat at any instance', async () => {
    const { send, body } = await begin('failed');
    const rows = { when: 'INSERT ON credentials', row: '1 = 1' };
    const failed = await refusingRows(site.first, rows, () => send('failed-1'));
    expect(failed.status).toBe(500);
    const again = await send('failed-1', 1);
    expect(again).toMatchObject({ status: 200, body: { username: 'failed' } });
    expect((await send('failed-1')).text).toBe(again.text);
    expect((await backend().completeRegistration(body)).body.errorCode).toBe('E0024R');
  });

  it('refuses the Idempotency-Key of a call with another body (E0001R)', async () => {
    const { body, send } = await begin('other-body');
    await send('other-1');
    const answer = await send('other-1', 1, { ...body, rawId: 'AAAA' });
    expect(answer).toMatchObject({ status: 400, body: { errorCode: 'E0001R' } });
    expect((await send('other-1')).status).toBe(200);
  });

  it('refuses the Idempotency-Key of a call with another application key (E0024R)', async () => {
    const { send, body } = await begin('keys');
    const other = (await issueKey(site.first.url, CEREMONIES)).secret;
    expect((await send('keys-1')).status).toBe(200);
    const foreign = await send('keys-1', 0, body, other);
    expect(foreign).toMatchObject({ status: 408, body: { errorCode: 'E0024R' } });
  });

  it('refuses a repeated registration without Idempotency-Key or application key (E0024R)', async () => {
    const { shop, body } = await begin('no-header');
    expect((await shop.completeRegistration(body)).status).toBe(200);
    expect((await shop.completeRegistration(body)).body.errorCode).toBe('E0024R');
    const page = new FidoClient(site.first.url);
    const credential = page.create(await page.beginRegistration('page'));
    const send = (key: string) =>
      page.post(page.paths.completeRegistration, credential, { 'idempotency-key': key });
    expect((await send('not a key')).status).toBe(200);
    expect((await send('not a key')).body.errorCode).toBe('E0024R');
  });

  it.each(['', ' ', 'a b', 'a\tb', 'x'.repeat(65), 'é'])(
    'refuses the Idempotency-Key %j and keeps the ceremony (E0001R)',
    async (key) => {
      const { send } = await begin('malformed');
      expect(await send(key)).toMatchObject({ status: 400, body: { errorCode: 'E0001R' } });
      expect((await send(`!~${randomUUID()}`.padEnd(64, 'x'))).status).toBe(200);
    },
  );

  it('refuses a body nested too deeply to compare and keeps the ceremony (E0001R)', async () => {
    const { body, send } = await begin('deep');
    const client = backend();
    const inside = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const text = `${JSON.stringify(body).slice(0, -1)},"x":${inside}}`;
    const headers = { 'idempotency-key': 'deep-1' };
    const answer = await client.post(client.paths.completeRegistration, text, headers);
    expect(answer).toMatchObject({ status: 400, body: { errorCode: 'E0001R' } });
    expect((await send('deep-2')).status).toBe(200);
  });

  it('returns the stored answer of a registration for ten minutes', async () => {
    const now = Date.now();
    for (const { clock } of site.servers) clock.standAt(now);
    const { send } = await begin('later');
    const first = await send('later-1');
    for (const server of site.servers) server.clock.advance(599_000);
    expect((await send('later-1', 1)).text).toBe(first.text);
    for (const server of site.servers) server.clock.advance(2_000);
    expect((await send('later-1', 1)).body.errorCode).toBe('E0024R');
  });
});

describe('stored answers of registrations', () => {
  const MAX_BYTES = 64 * 1024;
  const keptIn = () => {
    const clock = new TestClock();
    const store = new MemoryCeremonyStore({ clock, lifeMs: 600_000, maxBytes: MAX_BYTES });
    return new KeptAnswers(store, new MemoryClaims(), clock);
  };
  const call = (id: string, run: () => Promise<unknown>) => ({
    session: { id, callers: id.split('.').slice(1) },
    body: 'same',
    run,
  });

  it('stored answers are bounded in bytes, and a flood by one key evicts no answer of another', async () => {
    const answers = keptIn();
    let runs = 0;
    const run = async () => ({ run: (runs += 1), username: 'x'.repeat(200) });
    const other = 'other-answer.other-tenant.key';
    const first = await answers.answer(call(other, run));
    for (let n = 0; n < 1000; n += 1) await answers.answer(call(`flood-${n}.tenant.flood`, run));
    expect(await answers.answer(call(other, run))).toEqual(first);
    expect(await answers.answer(call('flood-0.tenant.flood', run))).not.toMatchObject({ run: 2 });
    expect(await answers.answer(call('flood-999.tenant.flood', run))).toMatchObject({ run: 1001 });
  });

  it('a failure of the server is not stored for repeats', async () => {
    const answers = keptIn();
    const fault = new Error('the database is away');
    await expect(
      answers.answer(call('fault.tenant.key', () => Promise.reject(fault))),
    ).rejects.toBe(fault);
    expect(await answers.answer(call('fault.tenant.key', async () => 'well'))).toBe('well');
  });
});
