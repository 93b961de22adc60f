import { counter, histogram } from '../telemetry/metrics.js';

/** The FIDO calls; each has two paths. */
const CALLS = new Map([
  ['/fidoapi/certify/attestation/options', 'registration-begin'],
  ['/fidoapi/register/begin', 'registration-begin'],
  ['/fidoapi/certify/attestation/result', 'registration-complete'],
  ['/fidoapi/register/complete', 'registration-complete'],
  ['/fidoapi/certify/assertion/options', 'authentication-begin'],
  ['/fidoapi/authenticate/begin', 'authentication-begin'],
  ['/fidoapi/certify/assertion/result', 'authentication-complete'],
  ['/fidoapi/authenticate/complete', 'authentication-complete'],
]);

/** All other paths are counted by their beginning, so that callers cannot create any number of labels. */
const AREAS = /^\/(fidoapi|userapi|tenantapi|users)(?:\/|$)/;

const seconds = histogram({
  name: 'servicefido_call_seconds',
  help: 'How long calls took until their answer was out',
  labelNames: ['call'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
});
const answers = counter({
  name: 'servicefido_answers_total',
  help: 'Answers by call, HTTP status and code of the refusal',
  labelNames: ['call', 'status', 'code'],
});

interface AnswerFacts {
  readonly status: number;
  readonly ms: number;
  readonly code: string | null | undefined;
}

export function countAnswer(path: string, { status, ms, code }: AnswerFacts): void {
  const call = CALLS.get(path) ?? AREAS.exec(path)?.[1] ?? 'other';
  seconds.observe({ call }, ms / 1000);
  answers.inc({ call, status, code: code ?? '' });
}
