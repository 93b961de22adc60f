import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { adminClient, type Answer } from '../support/client.js';
import { Collector, attributeOf, type Span } from '../support/collector.js';
import { DATABASES, REDIS_URL, type TestDatabase } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { describeWith } from '../support/needs.js';
import { createServerDatabase } from '../support/server-database.js';
import { ServerProcess, freePort } from '../support/server-process.js';
import { ADMIN } from '../support/test-server.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const COMPLETE = 'POST /fidoapi/certify/assertion/result';
const BEGIN = 'POST /fidoapi/certify/assertion/options';

/** A caller's trace: version, trace ID, span ID, "sampled" (W3C Trace Context §3.2). */
const TRACE = { id: '4bf92f3577b34da6a3ce929d0e0e4736', parent: '00f067aa0ba902b7' };
const FROM_CALLER = { traceparent: `00-${TRACE.id}-${TRACE.parent}-01` };

/** Spans are sent in batches, otherwise five seconds after the first of them. */
const SOON = { OTEL_BSP_SCHEDULE_DELAY: '200' };

describeWith('Redis').each(DATABASES)('traces of a server on %s and Redis', (name) => {
  let database: TestDatabase;
  let collector: Collector;
  let receiver: WebhookReceiver;
  let server: ServerProcess;
  beforeAll(async () => {
    database = await createServerDatabase(name);
    collector = await new Collector().start();
    receiver = new WebhookReceiver();
    await receiver.start();
    const stores = ['--db', database.url, '--sessions', REDIS_URL ?? ''];
    const options = ['--domain', 'localhost', '--webhook-private', 'on'];
    server = new ServerProcess([...stores, ...options, '--otlp-endpoint', collector.url], SOON);
    await server.start();
  });
  afterAll(async () => {
    await server.remove();
    collector.stop();
    await receiver.kill();
    await database.remove();
  });

  const spanNamed = (spanName: string, found: readonly Span[] = collector.spans) => {
    const span = found.find((one) => one.name === spanName);
    if (!span) throw new Error(`No span ${spanName}: ${found.map((one) => one.name).join()}`);
    return span;
  };
  const childrenOf = ({ spanId }: Span) =>
    collector.spans.filter(({ parentSpanId }) => parentSpanId === spanId).map((one) => one.name);

  it('a trace records a sign-in as a tree, without its secrets', async () => {
    const user = new FidoClient(server.url);
    const secrets = ['trace-alice', ADMIN.password];
    const note = ({ body, text }: Answer) => {
      for (const member of ['challenge', 'token', 'sessionId']) {
        if (typeof body[member] === 'string') secrets.push(body[member]);
      }
      return text;
    };
    for (const path of ['/health/ready', '/metrics', '/sdk/servicefido.js']) {
      expect((await user.get(path)).status).toBe(200);
    }
    note(await user.register('trace-alice'));
    const begun = await user.beginAuthentication('trace-alice');
    note(begun);
    const proof = user.assert(begun);
    const done = await user.completeAuthentication(proof);
    expect(done.status).toBe(200);
    note(done);
    secrets.push(user.cookie?.split('=')[1] ?? '', proof.id);

    const complete = await eventually(() => spanNamed(COMPLETE));
    expect(childrenOf(complete)).toContain('database commit');
    expect(childrenOf(complete).join()).toMatch(/redis eval/);
    expect(childrenOf(spanNamed(BEGIN)).join()).toMatch(/redis/);
    expect(attributeOf(complete, 'http.response.status_code')).toBe('200');
    // Probes and files of pages came first, and are not recorded.
    expect(collector.spans.map((span) => span.name).join()).not.toMatch(/health|metrics|sdk|GET/);
    expect(secrets.length).toBeGreaterThan(4);
    const sent = JSON.stringify(collector.spans);
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(7);
      expect(sent).not.toContain(secret);
    }
  });

  it('a trace continues that of the caller, and its ID is in the log line of the request', async () => {
    const user = new FidoClient(server.url);
    const refused = await user.post(user.paths.completeAuthentication, {}, FROM_CALLER);
    expect(refused.status).toBe(408);
    const [span] = await eventually(() => {
      const found = collector.ofTrace(TRACE.id);
      expect(found.map((one) => one.name)).toContain(COMPLETE);
      return found.filter((one) => one.name === COMPLETE);
    });
    expect(span).toMatchObject({ parentSpanId: TRACE.parent });
    expect(span && attributeOf(span, 'servicefido.code')).toBe(refused.body.errorCode);
    const id = refused.headers.get('x-request-id');
    const lineOf = () =>
      server.stdout.split('\n').find((text) => text.includes(`"requestId":"${id}"`));
    // The log is written a moment after the answer.
    await eventually(() =>
      expect(JSON.parse(lineOf() ?? '{}')).toMatchObject({ traceId: TRACE.id, status: 408 }),
    );
  });

  it('a trace of the sending job continues at the receiver of a webhook', async () => {
    const admin = adminClient(server.url);
    const webhook = { tenant: 'default', url: receiver.url, events: ['registration'] };
    expect((await admin.post('/tenantapi/webhooks', webhook)).status).toBe(201);
    await new FidoClient(server.url).register('trace-bob');
    const message = await eventually(() => {
      const [first] = receiver.received;
      if (!first) throw new Error('No message arrived.');
      return first;
    });
    const [, traceId = '', spanId] = String(message.headers['traceparent']).split('-');
    const delivery = await eventually(() =>
      spanNamed('webhook delivery', collector.ofTrace(traceId)),
    );
    expect(delivery).toMatchObject({ spanId });
    expect(attributeOf(delivery, 'server.address')).toBe('127.0.0.1');
    expect(attributeOf(delivery, 'http.response.status_code')).toBe('204');
    // It ends after its delivery, and may be exported later.
    const job = await eventually(() => spanNamed('job webhook-turn', collector.ofTrace(traceId)));
    expect(delivery.parentSpanId).toBe(job.spanId);
    expect(JSON.stringify(collector.spans)).not.toContain('trace-bob');
  });

  it('a trace names a page by its route, not by its address with a user name', async () => {
    const admin = adminClient(server.url);
    const html = { accept: 'text/html' };
    expect((await admin.get('/userapi?filter=trace-carol', html)).status).toBe(200);
    expect((await admin.get('/tenants/trace-carol', html)).status).toBe(404);
    await eventually(() => spanNamed('GET /userapi'));
    await eventually(() => spanNamed('GET /tenants/:tenant'));
    expect(JSON.stringify(collector.spans)).not.toContain('trace-carol');
  });

  it('traces omit rounds of jobs without work', () => {
    const idle = collector.spans.filter(
      (one) => one.name.startsWith('job ') && childrenOf(one).length === 0,
    );
    expect(idle.map((one) => one.name)).toEqual([]);
  });
});

it('a server without its collector works, reports it and ends in time', async () => {
  const endpoint = `http://127.0.0.1:${await freePort()}`;
  const server = new ServerProcess(['--domain', 'localhost', '--otlp-endpoint', endpoint], SOON);
  try {
    await server.start();
    expect((await new FidoClient(server.url).register('alice')).status).toBe(200);
    await eventually(() => expect(server.stdout).toContain('Spans cannot be sent'));
    expect(await server.end('SIGTERM')).toBe(0);
  } finally {
    await server.remove();
  }
});

/** The files of scripts that a server had loaded when it ended. */
async function loadedBy(args: readonly string[]): Promise<string[]> {
  const coverage = mkdtempSync(join(tmpdir(), 'servicefido-test-'));
  const server = new ServerProcess(args, { NODE_V8_COVERAGE: coverage });
  try {
    await server.start();
    expect(await server.end('SIGTERM')).toBe(0);
    return readdirSync(coverage)
      .flatMap((file) => JSON.parse(readFileSync(join(coverage, file), 'utf8')).result)
      .flatMap(({ url }: { url: string }) => (url.startsWith('file:') ? [fileURLToPath(url)] : []));
  } finally {
    await server.remove();
    rmSync(coverage, { recursive: true, force: true });
  }
}

/** The bundle names the file of each module above its code. prom-client loads the API, which does nothing alone. */
const withOpenTelemetry = (files: readonly string[]) =>
  files.filter(
    (file) =>
      /@opentelemetry.(?!api)/.test(file) ||
      /^\/\/ node_modules\/@opentelemetry\/(?!api\/)/m.test(readFileSync(file, 'utf8')),
  );

it('loads OpenTelemetry only with --otlp-endpoint', async () => {
  expect(withOpenTelemetry(await loadedBy([]))).toEqual([]);
  const loaded = await loadedBy(['--otlp-endpoint', `http://127.0.0.1:${await freePort()}`]);
  expect(withOpenTelemetry(loaded)).not.toEqual([]);
});
