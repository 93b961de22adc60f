import type { AuditAction } from '../../src/audit/audit-entry.js';
import { AuditTrail } from '../../src/audit/audit-trail.js';
import { ledgerStep } from '../../src/events/ledger.js';
import { EventNumbering } from '../../src/events/numbering/event-numbering.js';
import { Database } from '../../src/platform/database/database.js';
import { Delivery } from '../../src/webhooks/delivery/delivery.js';
import { WebhookSender } from '../../src/webhooks/delivery/webhook-sender.js';
import { adminClient, type Client } from '../support/client.js';
import { validatorOf } from '../support/contract/validators.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { relyingPartyOf } from '../support/rows.js';
import { BY_HAND, TestServer } from '../support/test-server.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const WEBHOOKS = '/tenantapi/webhooks';
const MINUTE_MS = 60_000;

describe.each(DATABASES)('a webhook for the audit trail on %s', (on) => {
  let server: TestServer;
  let admin: Client;
  let receiver: WebhookReceiver;
  let other: TestServer | undefined;
  beforeAll(async () => {
    // The server's own rounds would send between two lines of a test.
    server = await TestServer.start({ on, options: { webhookPrivate: true }, speed: BY_HAND });
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
    for (const { id } of body['webhooks'] as { id: string }[]) {
      await admin.send(`${WEBHOOKS}/${id}`, { method: 'DELETE' });
    }
  });
  const send = async () => {
    server.clock.advance(MINUTE_MS);
    await server.get(EventNumbering).catchUp();
    await server.get(WebhookSender).sendDue();
  };
  const targets = () => receiver.received.map(({ data }) => data['target']);

  it('sends a row of the list of deliveries again', async () => {
    const { id } = await create(['audit.credential.disable']);
    await append('again');
    await send();
    const page = `/tenants/default/_webhooks/${id}`;
    const { text } = await admin.get(page, { accept: 'text/html' });
    const [, number = ''] = /audit\.credential\.disable<\/code> (\d+)/.exec(text) ?? [];
    const sent = await admin.send(`${page}/again`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' },
      body: new URLSearchParams({ kind: 'audit.credential.disable', number }).toString(),
    });
    expect(sent.status).toBe(303);
    expect(targets()).toEqual(['again', 'again']);
  });

  it('sends each later row about its tenant as a signed message, in order', async () => {
    await append('before');
    const { secret } = await create(['audit.*']);
    await append('one');
    await append('other tenant', { tenant: 'rival', domain: 'rival.example' });
    await append('two', { action: 'user.delete' });
    await send();
    expect(receiver.received.map(({ type }) => type)).toEqual([
      'audit.webhook.create',
      'audit.credential.disable',
      'audit.user.delete',
    ]);
    expect(targets().slice(1)).toEqual(['one', 'two']);
    for (const message of receiver.received) expect(message.signedBy(secret)).toBe(true);
    await send();
    expect(receiver.received).toHaveLength(3);
  });

  it('sends the members of GET /userapi/audit, as the OpenAPI document describes them', async () => {
    await create(['audit.credential.disable']);
    await append('shown');
    await send();
    const { body } = await admin.get('/userapi/audit?target=shown');
    const [message] = receiver.received;
    const id = String(message?.data['hash']).slice(0, 32);
    expect(message?.id).toBe(id);
    expect(message?.data).toEqual({ id, ...(body['entries'] as object[])[0] });
    const pointer = '/webhooks/audit/post/requestBody/content/application~1json/schema';
    expect(validatorOf(pointer)(message?.content)).toBeUndefined();
  });

  it('sends only the chosen actions and relying parties, beside events', async () => {
    const kinds = ['registration', 'audit.user.delete'];
    await create(kinds, { relyingParties: ['shop.example'] });
    await append('not chosen', { domain: 'shop.example' });
    await append('elsewhere', { action: 'user.delete' });
    await append('gone', { action: 'user.delete', domain: 'shop.example' });
    const shop = { relyingParty: 'shop.example' };
    await new FidoClient(server.url, shop).register(`emil-${on}`);
    await send();
    expect(receiver.received.map(({ type }) => type).toSorted()).toEqual([
      'audit.user.delete',
      'registration',
    ]);
    expect(targets()).toContain('gone');
  });

  it('sends records of OCSF in place of its own form', async () => {
    await create(['user-created', 'audit.user.delete'], { format: 'ocsf' });
    await new FidoClient(server.url).register(`frida-${on}`);
    await append('gone', { action: 'user.delete' });
    await send();
    const sent = receiver.received.map(({ content }) => content);
    expect(sent).toMatchObject([
      { class_uid: 3001, activity_name: 'Create', user: { name: `frida-${on}` } },
      { class_uid: 3001, activity_name: 'Delete', user: { name: 'gone' } },
    ]);
    const { body } = await admin.get(WEBHOOKS);
    expect(body['webhooks']).toMatchObject([{ format: 'ocsf' }]);
  });

  it('a webhook for the audit trail goes on with the row that was refused, and sends no earlier one again', async () => {
    await create(['audit.credential.disable']);
    const names = ['r1', 'r2', 'r3', 'r4'];
    for (const name of names) await append(name);
    receiver.respond = ({ data }, response) =>
      response.writeHead(data['target'] === 'r3' ? 503 : 204).end();
    await send();
    expect(targets()).toEqual(['r1', 'r2', 'r3']);
    receiver.respond = (_, response) => response.writeHead(204).end();
    await send();
    expect(targets()).toEqual(['r1', 'r2', 'r3', 'r3', 'r4']);
  });

  it('a webhook for the audit trail passes over any number of rows and events that it does not want', async () => {
    await create(['audit.user.delete', 'clone-alarm']);
    const many = Array.from({ length: 130 }, (_, n) => `many-${n}`);
    await Promise.all(many.map((name) => append(name)));
    const user = { username: 'many' };
    const relyingParty = relyingPartyOf(server, 'localhost');
    const at = server.clock.now();
    const events = many.map(() => ({ kind: 'authentication', at, relyingParty, user }) as const);
    await server.get(Database).commit([ledgerStep(...events)]);
    await server
      .get(Database)
      .commit([ledgerStep({ kind: 'clone-alarm', at: at + 1, relyingParty, user })]);
    await append('wanted', { action: 'user.delete' });
    await send();
    expect(receiver.received.map(({ type }) => type).toSorted()).toEqual([
      'audit.user.delete',
      'clone-alarm',
    ]);
  });

  it('a webhook for the audit trail is given up after three days in which it refused a row, although events arrive', async () => {
    const { id } = await create(['audit.credential.disable', 'user-created']);
    receiver.respond = ({ type }, response) =>
      response.writeHead(type.startsWith('audit.') ? 400 : 204).end();
    await append('refused');
    const stateOf = async () => {
      const { body } = await admin.get(`${WEBHOOKS}/${id}`);
      return (body['webhook'] as { state: string }).state;
    };
    for (let hour = 0; hour < 80 && (await stateOf()) !== 'given-up'; hour += 1) {
      await new FidoClient(server.url).register(`hour-${hour}-${on}`);
      server.clock.advance(60 * MINUTE_MS);
      await send();
    }
    expect(await stateOf()).toBe('given-up');
    const created = receiver.received.filter(({ type }) => type === 'user-created');
    expect(created.length).toBeGreaterThan(60);
  });

  it('sends rows although the turn ended before all events were sent', async () => {
    await create(['audit.credential.disable', 'user-created', 'registration']);
    await new FidoClient(server.url).register(`slow-${on}`);
    await append('beside events');
    const delivery = server.get(Delivery);
    const { turnMs } = delivery;
    receiver.respond = (_, response) => {
      delivery.turnMs = 0;
      response.writeHead(204).end();
    };
    await send();
    delivery.turnMs = turnMs;
    receiver.respond = (_, response) => response.writeHead(204).end();
    const types = () => receiver.received.map(({ type }) => type);
    expect(types()).toEqual(['user-created', 'audit.credential.disable']);
    await send();
    expect(types()).toEqual(['user-created', 'audit.credential.disable', 'registration']);
  });

  it('sends rows while an event is refused and others arrive, without ending its series of failures', async () => {
    const { id } = await create(['audit.credential.disable', 'user-created']);
    receiver.respond = ({ data }, response) =>
      response.writeHead(data['username'] === `refused-${on}` ? 400 : 204).end();
    await new FidoClient(server.url).register(`refused-${on}`);
    await new FidoClient(server.url).register(`accepted-${on}`);
    const failingSince: unknown[] = [];
    for (const name of ['first', 'second']) {
      await append(name);
      await send();
      const { body } = await admin.get(`${WEBHOOKS}/${id}`);
      failingSince.push((body['webhook'] as { failingSince: unknown }).failingSince);
    }
    const rows = receiver.received.filter(({ type }) => type.startsWith('audit.'));
    expect(rows.map(({ data }) => data['target'])).toEqual(['first', 'second']);
    expect(failingSince).toEqual([expect.any(String), failingSince[0]]);
  });

  it('counts the refusals of an event and a row as one series, although rows and events arrive', async () => {
    const { id } = await create(['audit.*', 'user-created']);
    receiver.respond = ({ data }, response) => {
      const isRefused = [`stuck-${on}`, 'stuck row'].some((name) =>
        [data['username'], data['target']].includes(name),
      );
      response.writeHead(isRefused ? 400 : 204).end();
    };
    await new FidoClient(server.url).register(`stuck-${on}`);
    await new FidoClient(server.url).register(`well-${on}`);
    const failingSince: unknown[] = [];
    const note = async () => {
      await send();
      const { body } = await admin.get(`${WEBHOOKS}/${id}`);
      failingSince.push((body['webhook'] as { failingSince: unknown }).failingSince);
    };
    await note();
    await append('arrives');
    await append('stuck row');
    await note();
    await append('waits');
    await new FidoClient(server.url).register(`later-${on}`);
    await note();
    expect(targets().filter((target) => target === 'stuck row')).toHaveLength(2);
    expect(targets()).not.toContain('waits');
    expect(failingSince).toEqual([expect.any(String), failingSince[0], failingSince[0]]);
  });

  it('ends its series of failures by an event after it was set to send no rows', async () => {
    const { id } = await create(['audit.credential.disable', 'user-created']);
    const answer = (status: number) => {
      receiver.respond = (_, response) => response.writeHead(status).end();
    };
    answer(400);
    await append('refused');
    await send();
    await admin.patch(`${WEBHOOKS}/${id}`, { events: ['user-created'] });
    await new FidoClient(server.url).register(`alone-${on}`);
    await send();
    answer(204);
    await send();
    expect(receiver.received.map(({ type }) => type).at(-1)).toBe('user-created');
    const { body } = await admin.get(`${WEBHOOKS}/${id}`);
    expect(body['webhook']).toMatchObject({ state: 'well', failingSince: null });
  });

  it('a webhook for the audit trail gets each row once, although two instances send', async () => {
    other = await TestServer.start({
      database: server.database,
      options: { webhookPrivate: true },
      speed: BY_HAND,
    });
    await create(['audit.credential.disable']);
    const names = ['t1', 't2', 't3', 't4', 't5'];
    for (const name of names) {
      await append(name);
      await Promise.all([send(), other.get(WebhookSender).sendDue()]);
    }
    await send();
    expect(targets()).toEqual(names);
  });

  it('a webhook for the audit trail begins with the rows after it was set to send them', async () => {
    const { id } = await create(['registration']);
    await append('early');
    const patch = (events: readonly string[]) => admin.patch(`${WEBHOOKS}/${id}`, { events });
    expect((await patch(['audit.credential.disable'])).status).toBe(200);
    await append('late');
    await send();
    expect(targets()).toEqual(['late']);
    expect((await patch(['registration'])).status).toBe(200);
    await append('unwanted');
    await send();
    expect(targets()).toEqual(['late']);
    expectRefusal(await patch(['audit.unknown']), 'E0045R', 400);
  });

  function append(
    target: string,
    { action = 'credential.disable', tenant = 'default', domain = 'localhost' }: Facts = {},
  ) {
    return server.get(AuditTrail).append({
      account: 'anna',
      role: 'helpdesk',
      address: '192.0.2.1',
      action,
      tenant,
      relyingParty: domain,
      target,
      result: 'ok',
      requestId: target,
    });
  }

  interface Facts {
    readonly action?: AuditAction;
    readonly tenant?: string;
    readonly domain?: string;
  }

  async function create(events: readonly string[], more: object = {}) {
    const wanted = { tenant: 'default', url: receiver.url, events, ...more };
    const { status, body } = await admin.post(WEBHOOKS, wanted);
    expect([status, body.errorMessage]).toEqual([201, '']);
    return { id: String((body['webhook'] as { id: string }).id), secret: String(body['secret']) };
  }
});
