import type { Request } from 'express';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { answerToFault } from '../../platform/errors/answer-to-fault.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { isError } from '../../platform/errors/driver-errors.js';

/** The status of an unavailable database or session store, and of a full one. */
const OUTAGES = [503, 507];
/** The error of an outage (RFC 6749 §4.1.2.1). */
const UNAVAILABLE = 'temporarily_unavailable';
const DESCRIPTION = 'the server cannot answer at present';

/** An answer of the provider, perhaps to a request whose path it does not know. */
type ProviderAnswer = Pick<KoaContextWithOIDC, 'req' | 'status' | 'body' | 'set' | 'remove'>;

/** The error that the page of a failed request names. */
export const pageError = (error: string, fault: Error): string =>
  outageOf(fault) ? UNAVAILABLE : error;

/**
 * Answers a request as other calls during an outage: with the status of its code and `Retry-After`. The provider would
 * report a fault of the server.
 *
 * @returns whether the error is an outage
 */
export function answerOutage(ctx: ProviderAnswer, error: unknown): boolean {
  const outage = outageOf(error);
  if (!outage) return false;
  const isErrorPage = ctx.status >= 400 && typeof ctx.body === 'string';
  ctx.status = outage.status;
  ctx.set(outage.headers);
  if (!isErrorPage) {
    ctx.remove('Location');
    ctx.body = { error: UNAVAILABLE, error_description: DESCRIPTION };
  }
  const { code, cause, problem } = outage;
  const detail = isError(cause) ? { detail: cause.message } : {};
  const request = ctx.req as Request;
  request.logFacts = { ...request.logFacts, code, reason: problem.reason, ...detail };
  return true;
}

function outageOf(error: unknown): ApiError | undefined {
  const answer = error instanceof ApiError ? error : answerToFault(error);
  return OUTAGES.includes(answer.status) ? answer : undefined;
}
