import type { RequestHandler } from 'express';

/** Facts about a step: never a secret, a name of a user or a challenge. */
export type Facts = Readonly<Record<string, string | number>>;

type Work<T> = () => Promise<T>;

/** Records spans of traces. */
export interface Tracer {
  /** Records a round of a job as the root of a trace, unless no step was recorded in it. */
  job<T>(name: string, work: Work<T>): Promise<T>;
  /** Records a call of another system, within the request or job that makes it. */
  step<T>(name: string, facts: Facts, work: Work<T>): Promise<T>;
  /** Adds facts to the step under way. */
  note(facts: Facts): void;
  /** Headers that continue the trace at another server (W3C Trace Context). */
  headers(): Record<string, string>;
  /** Names the trace in a line of the log. */
  logFields(): { readonly traceId?: string };
  /** Records a request, as part of the caller's trace where it names one. */
  readonly request: RequestHandler;
  /** Sends what was recorded and not sent yet. */
  stop(): Promise<void>;
}

/** Set by `--otlp-endpoint`; without it nothing is recorded and no library is loaded. */
let tracer: Tracer | undefined;

export const currentTracer = (): Tracer | undefined => tracer;

export function traceWith(chosen: Tracer): void {
  tracer = chosen;
}

export const traceJob = <T>(name: string, work: Work<T>): Promise<T> =>
  tracer ? tracer.job(name, work) : work();

export const traceStep = <T>(name: string, facts: Facts, work: Work<T>): Promise<T> =>
  tracer ? tracer.step(name, facts, work) : work();

export const noteOnStep = (facts: Facts): void => tracer?.note(facts);

export const traceHeaders = (): Record<string, string> => tracer?.headers() ?? {};
