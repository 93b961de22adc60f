import type { SpanFacts, OpenTelemetry, TracedWork } from './open-telemetry.js';

/** Set by `--otlp-endpoint`; without it nothing is recorded and no library is loaded. */
let tracer: OpenTelemetry | undefined;

export const currentTracer = (): OpenTelemetry | undefined => tracer;

export function traceWith(chosen: OpenTelemetry): void {
  tracer = chosen;
}

export const traceJob = <T>(name: string, work: TracedWork<T>): Promise<T> =>
  tracer ? tracer.job(name, work) : work();

export const traceStep = <T>(name: string, facts: SpanFacts, work: TracedWork<T>): Promise<T> =>
  tracer ? tracer.step(name, facts, work) : work();

export const describeSpan = (facts: SpanFacts): void => tracer?.describe(facts);

export const traceHeaders = (): Record<string, string> => tracer?.headers() ?? {};
