import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { jest } from '@jest/globals';
import { DataSource } from 'typeorm';
import { RollUp } from '../../src/billing/usage/roll-up.js';
import { newId } from '../../src/platform/database/row-ids.js';
import { Database } from '../../src/platform/database/database.js';
import { ledgerStep } from '../../src/events/ledger.js';
import { NumberedEvents } from '../../src/events/numbering/numbered-events.js';
import { EventNumbering } from '../../src/events/numbering/event-numbering.js';
import { EVENT_KINDS } from '../../src/events/event.entity.js';
import { Delivery } from '../../src/webhooks/delivery/delivery.js';
import { WebhookSender } from '../../src/webhooks/delivery/webhook-sender.js';
import { projectPath } from '../../src/platform/project.js';
import { accountsFile, clientOf } from '../support/accounts.js';
import type { Operation } from '../support/api/openapi.js';
import { adminClient, type Client } from '../support/client.js';
import { validatorOf } from '../support/contract/validators.js';
import { EVERY_DATABASE, type TestDatabase } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { receiverTls } from '../support/receiver-tls.js';
import { countOf, lastAuditRow, relyingPartyOf, rowsOf } from '../support/rows.js';
import { createServerDatabase } from '../support/server-database.js';
import { BY_HAND, TestServer } from '../support/test-server.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const WEBHOOKS = '/tenantapi/webhooks';
const HOUR_MS = 3_600_000;

describe('a webhook', () => {
  let file: string;
  let server: TestServer;
  let admin: Client;
  let receiver: WebhookReceiver;
  let other: TestServer | undefined;
  beforeAll(async () => {
    file = accountsFile();
    const options = { webhookPrivate: true, accounts: file, eventRetention: 1 };
    // The server's own rounds would send between two lines of a test.
    server = await TestServer.start({ options, speed: BY_HAND });
    await server.addRelyingParty('rival', { domain: 'rival.example' });
    await server.addRelyingParty('default', { domain: 'shop.example' });
    admin = adminClient(server.url);
  });
  afterAll(async () => {
    await other?.stop();
    await server.stop();
  });
  beforeEach(async () => {
    receiver = new WebhookReceiver(() => server.clock.now());
    await receiver.start();
  });
  afterEach(async () => {
    await receiver.kill();
    const { body } = await admin.get(WEBHOOKS);
    for (const { id } of body['webhooks'] as Webhook[]) await remove(id);
  });

  it('lists the last attempts, and sends a message of the list again with the same ID', async () => {
    const { id } = await create();
    expect((await deliveriesOf(id)).text).toContain('Nothing has been sent yet.');
    receiver.respond = (_, response) => response.writeHead(503).end();
    await newUsers('dorothea');
    await send();
    receiver.respond = (_, response) => response.writeHead(204).end();
    server.clock.advance(60_000);
    await send();
    const { attempts, numbers, text } = await deliveriesOf(id);
    expect(attempts).toEqual([
      ['registration', 'HTTP 204', true],
      ['user-created', 'HTTP 204', true],
      ['user-created', 'the receiver answered 503', false],
    ]);
    expect(text).not.toContain('dorothea');
    expect(text).not.toContain(receiver.url);
    const before = receiver.received.length;
    expect(await sendAgain(id, 'registration', numbers[0] ?? '')).toBe(303);
    const again = receiver.received.slice(before);
    expect(again.map((one) => one.id)).toEqual([receiver.received.at(before - 1)?.id]);
    const { body } = await admin.get('/userapi/audit?action=webhook.resend');
    const [last] = body['entries'] as object[];
    expect(last).toMatchObject({ result: 'ok', tenant: 'default', detail: { id } });
  });

  it('keeps fifty attempts, and sends nothing again that is not among them', async () => {
    const { id } = await create({ events: ['user-created'] });
    await newUsers(...Array.from({ length: 52 }, (_, n) => `many-${n}`));
    await send();
    const { attempts, numbers } = await deliveriesOf(id);
    expect(attempts).toHaveLength(50);
    const before = receiver.received.length;
    const [newest = ''] = numbers;
    expect(await sendAgain(id, 'registration', newest)).toBe(404);
    expect(await sendAgain(id, 'user-created', String(Number(newest) + 1))).toBe(404);
    expect(await sendAgain(id, 'user-created', 'x')).toBe(400);
    expect(receiver.received).toHaveLength(before);
  });

  it('shows the attempts of a webhook to nobody of another tenant', async () => {
    const { id } = await create();
    const rival = clientOf(server.url, 'acme-admin');
    expect((await deliveriesOf(id, 'default', rival)).status).toBe(404);
    expect((await deliveriesOf(id, 'acme', rival)).status).toBe(404);
    expect(await sendAgain(id, 'registration', '1', rival)).toBe(404);
  });

  it('sends each event as a signed message, in the order of each user’s events', async () => {
    const { secret } = await create();
    const anna = new FidoClient(server.url);
    await anna.register('anna');
    await newUsers('bert', 'carl');
    await anna.signIn('anna');
    await send();
    expect(arrivedTexts().filter((text) => text.endsWith('anna'))).toEqual([
      'user-created anna',
      'registration anna',
      'authentication anna',
    ]);
    expect(receiver.received).toHaveLength(7);
    for (const message of receiver.received) {
      expect([message.signedBy(secret), message.id]).toEqual([true, message.data['id']]);
      expect([message.path, message.headers['content-type']]).toEqual([
        '/hook?from=servicefido',
        'application/json',
      ]);
    }
    await send();
    expect(receiver.received).toHaveLength(7);
  });

  it('sends the members of GET /userapi/events, and the tenant', async () => {
    await create({ events: ['registration'] });
    await newUsers('dora');
    await send();
    const { body } = await admin.get('/userapi/events?user=dora', {
      'x-servicefido-relyingparty': 'localhost',
    });
    const [shown] = (body['events'] as Record<string, unknown>[]).filter(
      ({ kind }) => kind === 'registration',
    );
    const { kind, at, ...rest } = shown ?? {};
    const [message] = receiver.received;
    expect(message?.type).toBe(kind);
    expect(message?.data).toEqual({ tenant: 'default', ...rest });
    expect(typeof at).toBe('string');
  });

  it('sends messages and headers as the OpenAPI document describes them', async () => {
    const { id } = await create();
    await newUsers('hella');
    await send();
    await admin.post(`${WEBHOOKS}/${id}/test`, {});
    const { webhooks } = JSON.parse(readFileSync(projectPath('dist/openapi.json'), 'utf8')) as {
      readonly webhooks: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
    };
    const seen = receiver.received.map(({ type, content, headers }) => {
      const name = type === 'test' ? 'test' : 'event';
      const described = webhooks[name]?.['post']?.parameters ?? [];
      const missing = described.filter((header) => headers[header.name] === undefined);
      const pointer = `/webhooks/${name}/post/requestBody/content/application~1json/schema`;
      return [type, validatorOf(pointer)(content), described.length, missing];
    });
    expect(seen).toEqual(
      ['user-created', 'registration', 'test'].map((type) => [type, undefined, 3, []]),
    );
  });

  it('sends no event of a kind, relying party or tenant that was not chosen', async () => {
    const other = new WebhookReceiver();
    await other.start();
    await create({ events: ['registration'], relyingParties: ['shop.example'] });
    await create({ tenant: 'rival', url: other.url });
    await newUsers('emil');
    await send();
    expect([arrivedTexts(), other.received.length]).toEqual([[], 0]);
    await new FidoClient(server.url, {
      relyingParty: 'shop.example',
    }).register('emil');
    await send();
    expect([arrivedTexts(), other.received.length]).toEqual([['registration emil'], 0]);
    await other.kill();
  });

  it('sends events of all relying parties again once null clears their list', async () => {
    const { id } = await create({ events: ['registration'], relyingParties: ['shop.example'] });
    const body = JSON.stringify({ relyingParties: null });
    const headers = { 'content-type': 'application/json' };
    const changed = await admin.send(`${WEBHOOKS}/${id}`, { method: 'PATCH', headers, body });
    expect(changed).toMatchObject({ status: 200, body: { webhook: { relyingParties: null } } });
    await newUsers('egon');
    await send();
    expect(arrivedTexts()).toEqual(['registration egon']);
  });

  it('repeats failed attempts with growing delays, and loses no event', async () => {
    const { id } = await create({ events: ['registration'] });
    receiver.respond = (_, response) => response.writeHead(500).end('a secret of ours');
    await newUsers('fritz');
    // The delays are exact to a few seconds, which pass on a busy machine.
    server.clock.standAt(Date.now());
    await send();
    expect(await stateOf(id)).toMatchObject({
      state: 'failing',
      failure: 'the receiver answered 500',
    });
    await send();
    expect(receiver.received).toHaveLength(1);
    await receiver.kill();
    server.clock.advance(5_000);
    await newUsers('gerd');
    await send();
    expect(await stateOf(id)).toMatchObject({ state: 'failing', failure: 'connection refused' });
    receiver.received.length = 0;
    receiver.respond = (_, response) => response.writeHead(200).end();
    await receiver.start();
    server.clock.advance(10_000);
    await send();
    expect(receiver.received).toHaveLength(0);
    server.clock.advance(5_000);
    await send();
    expect(arrivedTexts()).toEqual(['registration fritz', 'registration gerd']);
    expect(await stateOf(id)).toMatchObject({ state: 'well', failingSince: null });
    server.clock.goOn();
  });

  it('sends no message again that arrived while another one failed', async () => {
    await create({ events: ['registration'] });
    receiver.respond = ({ data }, response) =>
      response.writeHead(data['username'] === 'hans' ? 503 : 200).end();
    await newUsers('hans');
    await newUsers('ida', 'jan', 'karl');
    await send();
    const arrived = arrivedTexts().filter((text) => !text.endsWith('hans'));
    receiver.received.length = 0;
    receiver.respond = (_, response) => response.writeHead(200).end();
    server.clock.advance(5_000);
    await send();
    expect([...arrivedTexts(), ...arrived].toSorted()).toEqual(
      ['hans', 'ida', 'jan', 'karl'].map((name) => `registration ${name}`),
    );
  });

  const MINUTE_MS = 60_000;
  const refuse = (name: string) => {
    receiver.respond = ({ data }, response) =>
      response.writeHead(data['username'] === name ? 500 : 200).end();
  };

  it('sets a message aside that was refused for an hour while others arrived, and lists it', async () => {
    const { id } = await create({ events: ['registration'] });
    refuse('quirin');
    await newUsers('quirin');
    await send();
    await newUsers('rita');
    for (const minutes of [1, 30]) {
      server.clock.pass(minutes * MINUTE_MS);
      await send();
      expect(arrivedTexts()).toContain('registration rita');
      expect(await stateOf(id)).toMatchObject({ state: 'failing', setAside: 0 });
    }
    server.clock.pass(30 * MINUTE_MS);
    await send();
    expect(await stateOf(id)).toMatchObject({ state: 'well', setAside: 1 });
    const path = `${WEBHOOKS}/${id}/set-aside`;
    expect((await admin.get(path)).body['setAside']).toMatchObject([
      {
        failure: 'the receiver answered 500',
        message: { type: 'registration', data: { tenant: 'default', username: 'quirin' } },
      },
    ]);
    const page = await admin.get('/tenants/default/_webhooks', { accept: 'text/html' });
    expect(page.text).toContain('Set aside: 1.');
    expect((await clientOf(server.url, 'acme-admin').get(path)).body.errorCode).toBe('E0044R');
    receiver.received.length = 0;
    await newUsers('sven');
    await send();
    expect(arrivedTexts()).toEqual(['registration sven']);
    const forgotten = await admin.send(path, { method: 'DELETE' });
    expect(forgotten.body['webhook']).toMatchObject({ id, setAside: 0 });
    expect((await admin.get(path)).body['setAside']).toEqual([]);
    expect(await stateOf(id)).toMatchObject({ state: 'well', setAside: 0 });
  });

  it('measures the hour before a message is set aside without the clock', async () => {
    const { id } = await create({ events: ['registration'] });
    refuse('theo');
    await newUsers('theo');
    await send();
    await newUsers('uma');
    for (const hours of [1, 1, -2]) {
      server.clock.advance(hours * HOUR_MS);
      await send();
    }
    expect(arrivedTexts()).toContain('registration uma');
    expect(await stateOf(id)).toMatchObject({ setAside: 0 });
    server.clock.pass(3 * HOUR_MS);
    await send();
    expect(await stateOf(id)).toMatchObject({ setAside: 1 });
  });

  it('lists a refused message of an OCSF webhook, and sends its test, as records of OCSF', async () => {
    const { id } = await create({ events: ['registration'], format: 'ocsf' });
    const path = `${WEBHOOKS}/${id}`;
    await newUsers('otto');
    receiver.respond = ({ content }, response) =>
      response.writeHead(JSON.stringify(content).includes('otto') ? 500 : 200).end();
    await send();
    await newUsers('paul');
    for (const minutes of [1, 30, 30]) {
      server.clock.pass(minutes * MINUTE_MS);
      await send();
    }
    const refused = receiver.received.find(({ content }) =>
      JSON.stringify(content).includes('otto'),
    );
    const { body } = await admin.get(`${path}/set-aside`);
    expect(body['setAside']).toMatchObject([{ message: null, record: refused?.content }]);

    receiver.received.length = 0;
    expect((await admin.post(`${path}/test`, {})).body).toMatchObject({ arrived: true });
    const [test] = receiver.received;
    expect(test?.content).toMatchObject({
      class_uid: 6003,
      activity_id: 99,
      metadata: { uid: test?.id, event_code: 'test', tenant_uid: 'default' },
      actor: { app_name: 'ServiceFido' },
      api: { operation: 'webhook.test' },
      src_endpoint: { name: 'ServiceFido' },
    });
  });

  it('sets a message aside later if the database could not store it at first', async () => {
    const { id } = await create({ events: ['registration'] });
    refuse('olga');
    await newUsers('olga');
    await send();
    await newUsers('petra');
    for (const minutes of [1, 30]) {
      server.clock.pass(minutes * MINUTE_MS);
      await send();
    }
    const source = server.get(DataSource);
    await source.query(`CREATE TRIGGER fails BEFORE INSERT ON set_aside_messages
      BEGIN SELECT RAISE(ABORT, 'no'); END`);
    try {
      server.clock.pass(30 * MINUTE_MS);
      await send();
    } finally {
      await source.query('DROP TRIGGER fails');
    }
    expect(await stateOf(id)).toMatchObject({ setAside: 0 });
    server.clock.pass(30 * MINUTE_MS);
    await send();
    const { body } = await admin.get(`${WEBHOOKS}/${id}/set-aside`);
    expect(body['setAside']).toMatchObject([{ message: { data: { username: 'olga' } } }]);
  });

  it('keeps a message that was set aside after the caller read the list', async () => {
    const { id } = await create({ events: ['registration'] });
    const path = `${WEBHOOKS}/${id}/set-aside`;
    const setAside = async (name: string, other: string) => {
      refuse(name);
      await newUsers(name);
      await send();
      await newUsers(other);
      for (const minutes of [1, 30, 30]) {
        server.clock.pass(minutes * MINUTE_MS);
        await send();
      }
    };
    await setAside('ulla', 'vera');
    const first = await admin.get(path);
    await setAside('wim', 'xaver');
    const stale = { method: 'DELETE', headers: { 'if-match': first.headers.get('etag') ?? '' } };
    expect(await admin.send(path, stale)).toMatchObject({
      status: 412,
      body: { errorCode: 'E0053R' },
    });
    const both = await admin.get(path);
    expect(both.body['setAside']).toHaveLength(2);
    const current = { method: 'DELETE', headers: { 'if-match': both.headers.get('etag') ?? '' } };
    expect((await admin.send(path, current)).body['webhook']).toMatchObject({ setAside: 0 });
    expect((await admin.get(path)).body['setAside']).toEqual([]);
  });

  it('sets no message aside that a new address has refused only once', async () => {
    const other = new WebhookReceiver(() => server.clock.now());
    await other.start();
    const { id } = await create({ events: ['registration'] });
    refuse('yara');
    await newUsers('yara');
    await send();
    await newUsers('zeno');
    server.clock.advance(MINUTE_MS);
    await send();
    server.clock.advance(HOUR_MS);
    await patch(id, { url: other.url });
    other.respond = receiver.respond;
    await send();
    expect(other.received.map(({ data }) => data['username'])).toContain('yara');
    expect(await stateOf(id)).toMatchObject({ state: 'failing', setAside: 0 });
    await other.kill();
  });

  it('sets no message aside while the receiver accepts none or has just returned', async () => {
    const { id } = await create({ events: ['registration'] });
    receiver.respond = (_, response) => response.writeHead(500).end();
    await newUsers('tim');
    await newUsers('uwe');
    await send();
    server.clock.advance(2 * HOUR_MS);
    refuse('tim');
    await send();
    expect(arrivedTexts()).toContain('registration uwe');
    expect(await stateOf(id)).toMatchObject({ state: 'failing', setAside: 0 });
    refuse('nobody');
    receiver.received.length = 0;
    server.clock.advance(MINUTE_MS);
    await send();
    expect(arrivedTexts()).toEqual(['registration tim']);
    expect(await stateOf(id)).toMatchObject({ state: 'well', setAside: 0 });
  });

  it('a webhook is switched off after three days of failures, and continues from there when switched on', async () => {
    const { id } = await create({ events: ['registration'] });
    await receiver.kill();
    await newUsers('lena');
    await send();
    expect((await admin.get('/status')).text).toContain('Events of a webhook do not arrive.');
    for (let hours = 0; hours <= 100; hours += 4) {
      await send();
      server.clock.advance(4 * HOUR_MS);
    }
    expect(await stateOf(id)).toMatchObject({ state: 'given-up', failure: 'connection refused' });
    const { text } = await admin.get('/');
    expect(text).toContain('A webhook is off.');
    expect(text).toContain('<a href="/findings">Show the findings</a>');
    await receiver.start();
    await send();
    expect(receiver.received).toEqual([]);
    expect((await patch(id, { enabled: true })).body['webhook']).toMatchObject({ state: 'well' });
    await send();
    expect(arrivedTexts()).toEqual(['registration lena']);
  });

  it('keeps events beyond --event-retention while it fails, for a week at most', async () => {
    const { id } = await create({ events: ['registration'] });
    const eventsOf = (name: string) =>
      countOf(server, 'events WHERE username = ?', Buffer.from(name));
    const passDays = async (days: number) => {
      for (let attempts = 0; attempts < 6 * days; attempts += 1) {
        server.clock.advance(4 * HOUR_MS);
        await send();
      }
      await server.get(RollUp).catchUp();
      await server.get(RollUp).discard();
    };
    await receiver.kill();
    await newUsers('lea');
    await send();
    for (let day = 0; day < 5; day += 1) await passDays(1);
    expect([await stateOf(id), await eventsOf('lea')]).toMatchObject([{ state: 'given-up' }, 2]);
    await receiver.start();
    await patch(id, { enabled: true });
    await send();
    expect(arrivedTexts()).toEqual(['registration lea']);
    await passDays(2);
    expect(await eventsOf('lea')).toBe(0);

    await receiver.kill();
    await newUsers('leo');
    for (let day = 0; day < 7; day += 1) await passDays(1);
    expect(await eventsOf('leo')).toBe(2);
    await passDays(1);
    expect(await eventsOf('leo')).toBe(0);
  });

  it('a webhook is switched off at once when its receiver answers 410', async () => {
    const { id } = await create({ events: ['registration'] });
    receiver.respond = (_, response) => response.writeHead(410).end();
    await newUsers('maria');
    await send();
    expect(await stateOf(id)).toMatchObject({ state: 'given-up' });
  });

  it('tries a new address at once if the address was changed during a failing call', async () => {
    const other = new WebhookReceiver(() => server.clock.now());
    await other.start();
    const { id } = await create({ events: ['registration'] });
    const changed: Promise<unknown>[] = [];
    receiver.respond = (_, response) => {
      changed.push(patch(id, { url: other.url }).finally(() => response.writeHead(410).end()));
    };
    await newUsers('lina');
    await send();
    await Promise.all(changed);
    expect(changed).toHaveLength(1);
    expect(await stateOf(id)).toMatchObject({ state: 'well', failure: null });
    await send();
    expect(other.received.map(({ data }) => data['username'])).toEqual(['lina']);
    await other.kill();
  });

  it('sends a new kind of event from the moment it was added during a turn', async () => {
    const { id } = await create({ events: ['registration'] });
    const eventsOf = (username: string, ...kinds: readonly ('registration' | 'authentication')[]) =>
      ledgerStep(
        ...kinds.map((kind) => ({
          kind,
          at: server.clock.now(),
          relyingParty: relyingPartyOf(server, 'localhost'),
          user: { username, id: newId() },
        })),
      );
    // More events than one read returns, so that the turn continues after the change.
    const many = Array.from({ length: 150 }, () => 'authentication' as const);
    await server.get(Database).commit([eventsOf('livia', 'registration', ...many)]);
    const change = async () => {
      await patch(id, { events: ['registration', 'authentication'] });
      await server.get(Database).commit([eventsOf('linus', 'registration', 'authentication')]);
      await settle();
    };
    receiver.respond = ({ data }, response) => {
      const before = data['username'] === 'livia' ? change() : undefined;
      receiver.respond = (_, next) => next.writeHead(204).end();
      void Promise.resolve(before).finally(() => response.writeHead(204).end());
    };
    await send();
    await send();
    expect(arrivedTexts().filter((text) => text.endsWith('linus'))).toEqual([
      'registration linus',
      'authentication linus',
    ]);
  });

  it('sends a new kind of event from the moment it was added after turns without events', async () => {
    const { id } = await create({ events: ['registration'] });
    const anna = new FidoClient(server.url);
    await anna.register('quiet');
    await send();
    await anna.signIn('quiet');
    await send();
    await patch(id, { events: ['registration', 'authentication'] });
    await anna.signIn('quiet');
    await send();
    expect(arrivedTexts()).toEqual(['registration quiet', 'authentication quiet']);
  });

  it('a webhook begins a new series of failures if it was switched on during a failing call', async () => {
    const { id } = await create({ events: ['registration'] });
    receiver.respond = (_, response) => response.writeHead(500).end();
    await newUsers('lino');
    await send();
    server.clock.advance(80 * HOUR_MS);
    const changed: Promise<unknown>[] = [];
    receiver.respond = (_, response) => {
      changed.push(patch(id, { enabled: true }).finally(() => response.writeHead(500).end()));
    };
    await send();
    await Promise.all(changed);
    expect(await stateOf(id)).toMatchObject({ state: 'well' });
    receiver.respond = (_, response) => response.writeHead(204).end();
    await send();
    expect(await stateOf(id)).toMatchObject({ state: 'well' });
  });

  it('delays no attempt after the clock was ahead for a while', async () => {
    const { id } = await create({ events: ['registration'] });
    receiver.respond = (_, response) => response.writeHead(500).end();
    await newUsers('lisa');
    await send();
    receiver.respond = (_, response) => response.writeHead(204).end();
    const dueAt = server.clock.now() + 240 * HOUR_MS;
    const params = [dueAt, Buffer.from(id, 'base64url')];
    const step = { sql: 'UPDATE webhooks SET due_at = ? WHERE id = ?', params, mustChange: true };
    await server.get(Database).commit([step]);
    await send();
    expect(await stateOf(id)).toMatchObject({ state: 'well' });
  });

  it('a webhook does not follow redirects', async () => {
    const elsewhere = new WebhookReceiver();
    await elsewhere.start();
    const { id } = await create({ events: ['registration'] });
    receiver.respond = (_, response) => response.writeHead(307, { location: elsewhere.url }).end();
    await newUsers('nora');
    await send();
    expect([elsewhere.received.length, await stateOf(id)]).toMatchObject([
      0,
      { failure: 'the receiver answered 307' },
    ]);
    await elsewhere.kill();
  });

  it('signs messages with both secrets for a day after a rotation', async () => {
    const { id, secret } = await create({ events: ['registration'] });
    const { status, body } = await admin.post(`${WEBHOOKS}/${id}/secret`, {});
    expect(status).toBe(201);
    const next = String(body['secret']);
    await newUsers('olga');
    await send();
    server.clock.advance(24 * HOUR_MS);
    await newUsers('paul');
    await send();
    expect(receiver.received.map((message) => message.headers['webhook-signature'])).toEqual([
      expect.stringMatching(/^v1,\S+ v1,\S+$/),
      expect.stringMatching(/^v1,\S+$/),
    ]);
    const [first] = receiver.received;
    expect([first?.signedBy(secret), first?.signedBy(next)]).toEqual([true, true]);
  });

  it('keeps signing with its receiver’s secret when two rotations race', async () => {
    const { id, secret } = await create({ events: ['registration'] });
    const rotate = () => admin.post(`${WEBHOOKS}/${id}/secret`, {});
    const rotated = await Promise.all([rotate(), rotate()]);
    await newUsers('quinn');
    await send();
    const [message] = receiver.received;
    const secrets = [secret, ...rotated.map(({ body }) => String(body['secret']))];
    expect(secrets.map((one) => message?.signedBy(one))).toEqual([true, true, true]);
  });

  it('sends a test message, and reports only the status of a failed one', async () => {
    const { id, secret } = await create();
    const test = async () => {
      const { status, body } = await admin.post(`${WEBHOOKS}/${id}/test`, {});
      return [status, body['arrived'], body['failure']];
    };
    expect(await test()).toEqual([200, true, null]);
    const [message] = receiver.received;
    expect([message?.type, message?.data['tenant'], message?.signedBy(secret)]).toEqual([
      'test',
      'default',
      true,
    ]);
    receiver.respond = (_, response) => response.writeHead(404).end('what is in here');
    expect(await test()).toEqual([200, false, 'the receiver answered 404']);
  });

  it('a webhook can be seen, changed and added only by administrators of its tenant', async () => {
    const { id } = await create();
    const other = clientOf(server.url, 'acme-admin');
    expect((await other.get(WEBHOOKS)).body['webhooks']).toEqual([]);
    const one = await admin.get(`${WEBHOOKS}/${id}`);
    expect(one).toMatchObject({ status: 200, body: { webhook: { id, state: 'well' } } });
    const calls = [
      other.get(`${WEBHOOKS}/${id}`),
      other.send(`${WEBHOOKS}/${id}`, { method: 'DELETE' }),
      other.post(`${WEBHOOKS}/${id}/secret`, {}),
      other.post(`${WEBHOOKS}/${id}/test`, {}),
      other.post(WEBHOOKS, { tenant: 'default', url: receiver.url, events: ['policy'] }),
    ];
    const codes = (await Promise.all(calls)).map(({ body }) => body.errorCode);
    expect(codes).toEqual(Array(calls.length).fill('E0044R'));
    expect([receiver.received.length, await stateOf(id)]).toMatchObject([0, { state: 'well' }]);
  });

  it('keeps its secret out of lists and the audit trail, and is deleted with its tenant', async () => {
    await server.addRelyingParty('passing', { domain: 'passing.example' });
    const { id, secret } = await create({ tenant: 'passing' });
    const bare = secret.slice('whsec_'.length);
    for (const path of [WEBHOOKS, `${WEBHOOKS}/${id}`, '/userapi/audit']) {
      expect((await admin.get(path)).text).not.toContain(bare);
    }
    expect((await lastAuditRow(server, 'webhook.create')).detail).toMatchObject({
      id,
      host: receiver.url.split('/')[2],
    });
    await admin.send('/tenantapi/tenants/passing', { method: 'DELETE' });
    expect(await rowsOf(server, 'SELECT id FROM webhooks')).toEqual([]);
  });

  it('a webhook can be added, tested, switched off and removed on a page, which shows the secret once', async () => {
    const place = '/tenants/default/_webhooks';
    const html = { accept: 'text/html' };
    const submit = (path: string, fields: Record<string, string> = {}) =>
      admin.send(place + path, {
        method: 'POST',
        headers: { ...html, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(fields).toString(),
      });
    expect((await admin.get('/tenants/default', html)).text).toContain(`href="${place}"`);
    const wrong = await submit('', { url: receiver.url });
    expect([wrong.status, wrong.text.includes('Tick at least one.')]).toEqual([400, true]);
    expect(wrong.text).toMatch(
      /<fieldset [^>]*aria-invalid="true" aria-describedby="events-error"/,
    );
    const added = await submit('', { url: receiver.url, events: 'registration' });
    expect([added.status, /<code class="secret"[^>]*>whsec_[^<]{44,}</.test(added.text)]).toEqual([
      200,
      true,
    ]);
    const shown = (await admin.get(place, html)).text;
    // The server was started with --webhook-private.
    expect(shown).toContain('http or https, even of a host that is not public.');
    expect(shown).not.toContain('whsec_');
    const [, id = ''] = /id="webhook-([\w-]+)"/.exec(shown) ?? [];
    const tested = async () => {
      const answer = await submit(`/${id}/test`);
      expect([answer.status, answer.headers.get('location')]).toEqual([303, place]);
      return (await admin.get(place, html)).text;
    };
    const host = `<bdi>${receiver.url.split('/')[2]}</bdi>`;
    const right = await tested();
    expect(right).toContain(`The test arrived at ${host}.`);
    expect(right).toContain('No event has arrived yet.');
    receiver.respond = (_, response) => response.writeHead(500).end();
    expect(await tested()).toContain(`did not arrive at ${host}: the receiver answered`);
    expect((await submit(`/${id}/off`)).status).toBe(303);
    expect(await stateOf(id)).toMatchObject({ state: 'off' });
    expect((await submit(`/${id}/on`)).status).toBe(303);
    expect((await submit(`/${id}/remove`)).headers.get('location')).toBe(place);
    expect((await admin.get(place, html)).text).toContain('The webhook is removed.');
    expect(await stateOf(id)).toBeUndefined();
  });

  it('a webhook has a page that says in the reader’s language why nothing arrives, and takes a new address', async () => {
    const place = '/tenants/default/_webhooks';
    const german = { accept: 'text/html', 'accept-language': 'de' };
    receiver.respond = (_, response) => response.writeHead(500).end();
    const { id } = await create({ events: ['registration'] });
    await newUsers('theo');
    await send();
    const page = (await admin.get(place, german)).text;
    expect(page).toContain('Der Empfänger antwortete mit 500');
    const [, tag = ''] = /name="version" value="([^"]+)"/.exec(page) ?? [];
    const version = tag.replaceAll('&quot;', '"');
    const move = (newUrl: string) =>
      admin.send(`${place}/${id}/address`, {
        method: 'POST',
        headers: { ...german, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ newUrl, version }).toString(),
      });
    const wrong = await move('ftp://moved.example');
    expect(wrong.status).toBe(400);
    expect(wrong.text).toContain('value="ftp://moved.example"');
    expect(wrong.text).toContain('id="newUrl-error"');
    receiver.respond = (_, response) => response.writeHead(204).end();
    expect((await move(`${receiver.url}&moved`)).headers.get('location')).toBe(place);
    expect((await admin.get(place, german)).text).toContain('Der Webhook hat seine neue Adresse.');
    receiver.received.length = 0;
    await send();
    expect(receiver.received.map(({ path }) => path.includes('moved'))).toEqual([true]);
    expect(await stateOf(id)).toMatchObject({ state: 'well' });
    expect((await move(receiver.url)).status).not.toBe(303);
  });

  it.each([
    ['another scheme', { url: 'ftp://app.example.com/' }],
    ['a user name', { url: 'https://anna:secret@app.example.com/' }],
    ['a fragment', { url: 'https://app.example.com/#here' }],
    ['no address', { url: 'here' }],
    ['an address that is too long', { url: `https://app.example.com/${'a'.repeat(2048)}` }],
    ['no kind', { events: [] }],
    ['an unknown kind', { events: ['coffee'] }],
    ['a kind twice', { events: ['policy', 'policy'] }],
    ['another tenant’s relying party', { relyingParties: ['rival.example'] }],
  ])('a webhook is refused if it has %s (E0045R)', async (_, wrong) => {
    const wanted = { tenant: 'default', url: receiver.url, events: ['policy'], ...wrong };
    const { status, body } = await admin.post(WEBHOOKS, wanted);
    expect([status, body.errorCode]).toEqual([400, 'E0045R']);
  });

  it('sends its events as one of twenty among sixty webhooks', async () => {
    await server.addRelyingParty('quiet', { domain: 'quiet.example' });
    // The quiet ones come first in the table.
    for (const tenant of ['rival', 'quiet', 'default']) {
      for (let n = 0; n < 20; n += 1) {
        await create({ tenant, url: `${receiver.url}&n=${n}`, events: ['registration'] });
      }
    }
    await newUsers('frieda');
    await send();
    const paths = receiver.received.map(({ path }) => path);
    expect([paths.length, new Set(paths).size]).toEqual([20, 20]);
  });

  it('a webhook begins to send when one of 32 earlier webhooks has finished', async () => {
    const held: (() => void)[] = [];
    receiver.respond = ({ path }, response) => {
      const answer = () => void response.writeHead(204).end();
      if (path.includes('slow')) held.push(answer);
      else answer();
    };
    const places = ['default', 'rival'].flatMap((tenant) => Array<string>(16).fill(tenant));
    for (const tenant of places) {
      await create({ tenant, url: `${receiver.url}&slow`, events: ['registration'] });
    }
    for (let n = 0; n < 4; n += 1) await create({ url: `${receiver.url}&n=${n}` });
    await newUsers('gesa');
    await new FidoClient(server.url, {
      relyingParty: 'rival.example',
    }).register('gesa');
    const sent = send();
    await eventually(() => expect(held).toHaveLength(32));
    held.forEach((answer) => answer());
    await sent;
    const quick = receiver.received.filter(({ path }) => isQuick(path));
    expect(new Set(quick.map(({ path }) => path)).size).toBe(4);
  });

  it('sends each message once if a round begins during the turns of 32 webhooks', async () => {
    const held: (() => void)[] = [];
    receiver.respond = (_, response) => void held.push(() => response.writeHead(204).end());
    for (const tenant of ['default', 'rival']) {
      for (let n = 0; n < 16; n += 1) {
        await create({ tenant, url: `${receiver.url}&${tenant}=${n}`, events: ['registration'] });
      }
    }
    const rival = { relyingParty: 'rival.example' };
    await Promise.all([newUsers('gina'), new FidoClient(server.url, rival).register('gina')]);
    const sent = send();
    await eventually(() => expect(held).toHaveLength(32));
    const read = jest.spyOn(server.get(NumberedEvents), 'last');
    const again = server.get(WebhookSender).sendDue();
    await eventually(() => expect(read).toHaveBeenCalled());
    await Promise.all(read.mock.results.map(({ value }) => value));
    read.mockRestore();
    receiver.respond = (_, response) => response.writeHead(204).end();
    held.forEach((answer) => answer());
    await Promise.all([sent, again]);
    const paths = receiver.received.map(({ path }) => path);
    expect([paths.length, new Set(paths).size]).toEqual([32, 32]);
  });

  it('sends while the calls of 32 failing webhooks hang', async () => {
    for (const tenant of ['default', 'rival']) {
      for (let n = 0; n < 16; n += 1) await create({ tenant, url: `${receiver.url}&hangs` });
    }
    for (let n = 0; n < 4; n += 1) await create({ url: `${receiver.url}&n=${n}` });
    const rival = new FidoClient(server.url, {
      relyingParty: 'rival.example',
    });
    const respond = (hang: (response: ServerResponse) => void) => {
      receiver.respond = ({ path }, response) => {
        if (path.includes('hangs')) hang(response);
        else response.writeHead(204).end();
      };
    };
    respond((response) => response.writeHead(500).end());
    await Promise.all([newUsers('hugo'), rival.register('hugo')]);
    await send();
    receiver.received.length = 0;
    respond(() => undefined);
    await newUsers('ines');
    server.clock.advance(MINUTE_MS);
    const sent = send();
    const quick = () => new Set(receiver.received.map(({ path }) => path).filter(isQuick));
    await eventually(() => expect(quick().size).toBe(4));
    await receiver.kill();
    await sent;
  });

  it('a webhook ends its turn between two messages if its receiver is slow', async () => {
    await create({ events: ['registration', 'authentication'] });
    const slow = new FidoClient(server.url);
    await slow.register('jana');
    for (let n = 0; n < 3; n += 1) await slow.signIn('jana');
    const delivery = server.get(Delivery);
    const { turnMs } = delivery;
    receiver.respond = (_, response) => {
      // Its ten seconds are over while the second message is under way.
      if (receiver.received.length === 2) delivery.turnMs = 0;
      response.writeHead(204).end();
    };
    await send();
    expect([arrivedTexts().length, turnMs]).toEqual([2, 10_000]);
    delivery.turnMs = turnMs;
    receiver.respond = (_, response) => response.writeHead(204).end();
    await send();
    expect(arrivedTexts()).toEqual(['registration jana', ...Array(3).fill('authentication jana')]);
  });

  it('sends the events of a relying party that another instance has just added', async () => {
    await create();
    const options = { webhookPrivate: true, accounts: file, eventRetention: 1 };
    other = await TestServer.start({ database: server.database, options, speed: BY_HAND });
    await other.addRelyingParty('default', { domain: 'new.example' });
    const event = {
      kind: 'authentication' as const,
      at: server.clock.now(),
      relyingParty: relyingPartyOf(other, 'new.example'),
      user: { username: 'newcomer', id: newId() },
    };
    await server.get(Database).commit([ledgerStep(event)]);
    await send();
    expect(arrivedTexts()).toEqual(['authentication newcomer']);
  });

  async function create(more: object = {}) {
    await settle();
    const wanted = { tenant: 'default', url: receiver.url, events: EVENT_KINDS, ...more };
    const { status, body } = await admin.post(WEBHOOKS, wanted);
    expect([status, body.errorMessage]).toEqual([201, '']);
    return { ...(body['webhook'] as Webhook), secret: String(body['secret']) };
  }

  async function stateOf(id: string) {
    const { body } = await admin.get(WEBHOOKS);
    return (body['webhooks'] as Webhook[]).find((webhook) => webhook.id === id);
  }

  /** Numbers all events that were committed until now. */
  async function settle() {
    server.clock.advance(10);
    await server.get(EventNumbering).catchUp();
  }

  /** Sends everything that is due. */
  async function send() {
    await settle();
    await server.get(WebhookSender).sendDue();
  }

  function newUsers(...names: readonly string[]) {
    return Promise.all(names.map((name) => new FidoClient(server.url).register(name)));
  }

  /** The rows of the log of deliveries: kind, outcome, and whether the message can be sent again. */
  async function deliveriesOf(id: string, tenant = 'default', client = admin) {
    const page = `/tenants/${tenant}/_webhooks/${id}`;
    const { status, text } = await client.get(page, { accept: 'text/html' });
    const [, body = ''] = text.split('<tbody>');
    const rows = body.split('<tr>').slice(1);
    const textIn = (row: string, part: RegExp) => (part.exec(row)?.[1] ?? '').trim();
    return {
      status,
      text,
      attempts: rows.map((row) => [
        textIn(row, /<code>([^<]*)/),
        textIn(row, /<\/svg>([^<]*)<\/span>/),
        row.includes('/again'),
      ]),
      numbers: rows.map((row) => textIn(row, /<\/code> (\d+)/)),
    };
  }

  async function sendAgain(id: string, kind: string, number: string, client = admin) {
    const answer = await client.send(`/tenants/default/_webhooks/${id}/again`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' },
      body: new URLSearchParams({ kind, number }).toString(),
    });
    return answer.status;
  }

  function remove(id: string) {
    return admin.send(`${WEBHOOKS}/${id}`, { method: 'DELETE' });
  }

  function patch(id: string, body: object) {
    return admin.patch(`${WEBHOOKS}/${id}`, body);
  }

  function arrivedTexts() {
    return receiver.received.map(({ type, data }) => `${type} ${data['username']}`);
  }
});

describe.each(EVERY_DATABASE)('a tenant on %s', (on) => {
  it('a tenant has at most twenty webhooks, even when two instances add some at once (E0045R)', async () => {
    const database = await createServerDatabase(on);
    const start = () => TestServer.start({ database, options: { webhookPrivate: true } });
    const servers = [await start(), await start()];
    const wanted = { tenant: 'default', url: 'http://127.0.0.1:9/', events: ['policy'] };
    const urls = servers.map(({ url }) => url);
    const create = (url: string) => adminClient(url).post(WEBHOOKS, wanted);
    for (let n = 0; n < 9; n += 1) await Promise.all(urls.map(create));
    const answers = await Promise.all([...urls, ...urls].map(create));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(({ body }) => body.errorMessage)).toEqual(
      Array(2).fill('A tenant has at most 20 webhooks.'),
    );
    for (const server of servers) await server.stop();
    await database.remove();
  });
});

describe('an instance that stops during a webhook’s call', () => {
  let database: TestDatabase;
  let receiver: WebhookReceiver;
  const begin = () =>
    TestServer.start({ database, options: { webhookPrivate: true }, speed: BY_HAND });
  beforeEach(async () => {
    database = await createServerDatabase('SQLite');
    receiver = new WebhookReceiver();
    await receiver.start();
  });
  afterEach(async () => {
    await receiver.kill();
    await database.remove();
  });

  it('neither waits for a receiver that does not answer nor counts a failure', async () => {
    receiver.respond = () => undefined;
    await stopDuringCall(['registration'], 1);
    receiver.respond = (_, response) => response.writeHead(204).end();
    const second = await begin();
    const { body } = await adminClient(second.url).get(WEBHOOKS);
    expect(body['webhooks']).toMatchObject([{ state: 'well', failure: null }]);
    await second.get(WebhookSender).sendDue();
    expect(receiver.received.map(({ id }) => id)).toEqual(Array(2).fill(receiver.received[0]?.id));
    await second.stop();
  });

  it('sends an aborted message of a kept-alive connection once', async () => {
    receiver.respond = ({ type }, response) => {
      if (type === 'user-created') response.writeHead(204).end();
    };
    await stopDuringCall(['user-created', 'registration'], 2);
    expect(receiver.received.map(({ type }) => type)).toEqual(['user-created', 'registration']);
    expect(receiver.connections).toBe(1);
  });

  /** @param messages the number of the message during whose call the instance stops */
  async function stopDuringCall(events: readonly string[], messages: number) {
    const server = await begin();
    const wanted = { tenant: 'default', url: receiver.url, events };
    await adminClient(server.url).post(WEBHOOKS, wanted);
    await new FidoClient(server.url).register('anna');
    server.clock.advance(10);
    await server.get(EventNumbering).catchUp();
    const sending = server.get(WebhookSender).sendDue();
    await eventually(() => expect(receiver.received).toHaveLength(messages));
    await server.stop();
    await sending;
  }
});

describe('a webhook without --webhook-private', () => {
  let server: TestServer;
  let admin: Client;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    server = await TestServer.start();
    admin = adminClient(server.url);
    receiver = new WebhookReceiver(undefined, receiverTls());
    await receiver.start();
  });
  afterAll(async () => {
    await receiver.kill();
    await server.stop();
  });

  it.each([
    'http://app.example.com/',
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://169.254.169.254/latest/meta-data/',
    'https://2130706433/',
    'https://[::ffff:8.8.8.8]/',
  ])('a webhook without --webhook-private is refused for the address %s (E0045R)', async (url) => {
    const { status, body } = await admin.post(WEBHOOKS, {
      tenant: 'default',
      url,
      events: ['policy'],
    });
    expect([status, body.errorCode, body.errorMessage]).toEqual([
      400,
      'E0045R',
      '"url" must be an https:// address of a public host. For others, the operator sets --webhook-private.',
    ]);
  });

  it('a webhook without --webhook-private does not call a host name that resolves to a private address', async () => {
    const wanted = { tenant: 'default', url: receiver.url, events: ['policy'] };
    const { body } = await admin.post(WEBHOOKS, wanted);
    const { id } = body['webhook'] as Webhook;
    const tried = await admin.post(`${WEBHOOKS}/${id}/test`, {});
    expect(tried.body['failure']).toBe('the address is not a public one');
    expect(receiver.connections).toBe(0);
  });
});

function isQuick(path: string) {
  return path.includes('&n=');
}

interface Webhook {
  readonly id: string;
  readonly state: string;
  readonly setAside: number;
  readonly failure: string | null;
  readonly failingSince: string | null;
}
