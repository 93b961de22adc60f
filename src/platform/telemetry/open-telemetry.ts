import { randomUUID } from 'node:crypto';
import { tracingChannel } from 'node:diagnostics_channel';
import {
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  context,
  diag,
  trace,
  type Span,
  type SpanOptions,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base';
import type { NextFunction, Request, Response } from 'express';
import { isProbe } from '../common/paths.js';
import { PRODUCT_VERSION } from '../project.js';

/** Attributes of a step: never a secret, a user name or a challenge. */
export type SpanFacts = Readonly<Record<string, string | number>>;

export type TracedWork<T> = () => Promise<T>;

/** How long the export of a batch may take; a process that shuts down waits for its last one. */
const EXPORT_MS = 2_000;
const COMPLAINT_MS = 60_000;

/** Propagates only the trace: baggage from callers is not passed on. */
const W3C = new W3CTraceContextPropagator();
const headersOf = {
  get: (carrier: Request['headers'], key: string) => carrier[key],
  keys: Object.keys,
};
const intoHeaders = {
  set: (carrier: Record<string, string>, key: string, value: string) => (carrier[key] = value),
};

/** Exports spans in batches, except those of jobs whose round had nothing to do, which are most. */
class SpanProcessorWithoutIdleJobs extends BatchSpanProcessor {
  private readonly busy = new WeakSet<object>();

  noteStepOf(parent: Span): void {
    this.busy.add(parent);
  }

  override onEnd(span: ReadableSpan): void {
    if (JOB in span.attributes && !this.busy.has(span)) return;
    super.onEnd(span);
  }
}

type Warn = (sentence: string) => void;

const JOB = 'servicefido.job';

/** Traces with OpenTelemetry, sent by OTLP over HTTP. */
export class OpenTelemetry {
  private readonly spanProcessor: SpanProcessorWithoutIdleJobs;
  private readonly provider: BasicTracerProvider;
  private readonly spans;

  /**
   * @param endpoint the collector's address, without `/v1/traces`
   * @param warn for the log
   */
  constructor(endpoint: string, warn: Warn) {
    const url = `${endpoint.replace(/\/$/, '')}/v1/traces`;
    const exporter = new OTLPTraceExporter({ url, timeoutMillis: EXPORT_MS });
    this.spanProcessor = new SpanProcessorWithoutIdleJobs(exporter, {
      exportTimeoutMillis: EXPORT_MS,
    });
    this.provider = new BasicTracerProvider({
      resource: resourceFromAttributes({
        'service.name': 'servicefido',
        'service.version': PRODUCT_VERSION,
        'service.instance.id': randomUUID(),
      }),
      spanProcessors: [this.spanProcessor],
    });
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    this.spans = this.provider.getTracer('servicefido', PRODUCT_VERSION);
    this.traceRedis();
    reportFailures(warn);
  }

  async stop(): Promise<void> {
    // An unreachable collector must not delay the end of the process.
    await this.provider.shutdown().catch(() => undefined);
  }

  /** Records a request, as part of the caller's trace if it sends one; probes are not recorded. */
  readonly request = (request: Request, response: Response, next: NextFunction): void => {
    const { method, path } = request;
    if (isProbe(path)) return next();
    const options = { kind: SpanKind.SERVER, attributes: { 'http.request.method': method } };
    const caller = W3C.extract(ROOT_CONTEXT, request.headers, headersOf);
    const span = this.spans.startSpan(method, options, caller);
    const within = trace.setSpan(caller, span);
    response.on('close', () => endRequest(span, request, response));
    // The connection emits the events of both, outside any request: their listeners run in this one.
    context.bind(within, request);
    context.bind(within, response);
    context.with(within, next);
  };

  /** Records a round of a job as the root of a trace, unless no step was recorded in it. */
  job<T>(name: string, work: TracedWork<T>): Promise<T> {
    return this.record(`job ${name}`, { root: true, attributes: { [JOB]: name } }, work);
  }

  /** Records a call to another system, within the request or job that makes it. */
  step<T>(name: string, attributes: SpanFacts, work: TracedWork<T>): Promise<T> {
    const parent = trace.getActiveSpan();
    if (!parent) return work();
    this.spanProcessor.noteStepOf(parent);
    return this.record(name, { kind: SpanKind.CLIENT, attributes }, work);
  }

  describe(facts: SpanFacts): void {
    trace.getActiveSpan()?.setAttributes(facts);
  }

  /** Headers that continue the trace at another server (W3C Trace Context). */
  headers(): Record<string, string> {
    const headers = {};
    W3C.inject(context.active(), headers, intoHeaders);
    return headers;
  }

  logFields(): { traceId?: string } {
    const span = trace.getActiveSpan();
    return span ? { traceId: span.spanContext().traceId } : {};
  }

  private record<T>(name: string, options: SpanOptions, work: TracedWork<T>): Promise<T> {
    return this.spans.startActiveSpan(name, options, async (span) => {
      try {
        return await work();
      } catch (error) {
        fail(span, error);
        throw error;
      } finally {
        span.end();
      }
    });
  }

  /** ioredis reports each command; its arguments are not recorded. */
  private traceRedis(): void {
    const spans = new WeakMap<object, Span>();
    tracingChannel<unknown, { command: string; error?: unknown }>('ioredis:command').subscribe({
      start: (message) => {
        const parent = trace.getActiveSpan();
        if (!parent) return;
        this.spanProcessor.noteStepOf(parent);
        const attributes = { 'db.system.name': 'redis', 'db.operation.name': message.command };
        const options = { kind: SpanKind.CLIENT, attributes };
        spans.set(message, this.spans.startSpan(`redis ${message.command}`, options));
      },
      end: () => undefined,
      asyncStart: () => undefined,
      asyncEnd: (message) => spans.get(message)?.end(),
      error: (message) => fail(spans.get(message), message.error),
    });
  }
}

/** Names a request after its route: a path may contain user names. */
function endRequest(span: Span, { method, route, logFacts }: Request, response: Response): void {
  const { path } = (route ?? {}) as { path?: string };
  if (path !== undefined) {
    span.updateName(`${method} ${path}`);
    span.setAttribute('http.route', path);
  }
  span.setAttribute('http.response.status_code', response.statusCode);
  if (logFacts?.code) span.setAttribute('servicefido.code', logFacts.code);
  if (response.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/** Marks a span as failed with the kind of error only: messages may contain anything. */
function fail(span: Span | undefined, error: unknown): void {
  span?.setAttribute('error.type', error instanceof Error ? error.constructor.name : 'unknown');
  span?.setStatus({ code: SpanStatusCode.ERROR });
}

/** Logs that spans are lost, at most once a minute. */
function reportFailures(warn: Warn): void {
  let quietUntil = 0;
  const complain = () => {
    const now = performance.now();
    if (now < quietUntil) return;
    quietUntil = now + COMPLAINT_MS;
    warn('Spans cannot be sent to --otlp-endpoint; they are lost.');
  };
  const ignore = () => undefined;
  const logger = { error: complain, warn: ignore, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, DiagLogLevel.ERROR);
}
