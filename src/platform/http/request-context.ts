import type { NextFunction, Request, Response } from 'express';
import type { Logger } from 'pino';
import { ApiError } from '../errors/api-error.js';
import { callLabel, isProbe } from '../common/paths.js';
import { counter, histogram } from '../telemetry/metrics.js';
import { newRequestId } from './request-id.js';

declare module 'express-serve-static-core' {
  interface Request {
    /** Identifies the request in the answer, in the log and in events. */
    requestId: string;
    log: Logger;
    /** The body of an error, for paths that follow a standard of their own. */
    errorBody?: (error: ApiError) => object;
    /** Facts for the log: a refusal's code, and its detail, which callers do not see. */
    logFacts?: {
      code?: string | null;
      reason?: string;
      /** The wrong field of the request. */
      field?: string | number;
      detail?: string;
      /** For the calls of a ceremony: the sentence of the answer. */
      errorMessage?: string;
      /** For E0029R: the received origin, those that the relying party allows, and the command that adds it. */
      origin?: string;
      allowed?: readonly string[];
      allow?: string;
      /** For `audience.notListed`: the requested audience; `allowed` has those of the policy. */
      audience?: string;
    };
  }
}

const seconds = histogram({
  name: 'servicefido_call_seconds',
  help: 'Duration of calls until the response is sent',
  labelNames: ['call'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
});
const answers = counter({
  name: 'servicefido_answers_total',
  help: 'Answers by call, HTTP status and code of the refusal',
  labelNames: ['call', 'status', 'code'],
});

function countAnswer(path: string, status: number, ms: number, code: string): void {
  const call = callLabel(path);
  seconds.observe({ call }, ms / 1000);
  answers.inc({ call, status, code });
}

/** Browsers and proxies send some 30 headers; Node alone limits only their size, to 16 KB. */
const MAX_HEADERS = 100;

/**
 * Gives each request an ID and logs a line about it, without query, cookies and bodies. A probe that succeeds is logged
 * only with `--log-level debug`.
 */
export function requestContext(log: Logger) {
  const logged = log.isLevelEnabled('info');
  return (request: Request, response: Response, next: NextFunction): void => {
    const requestId = newRequestId();
    request.requestId = requestId;
    request.log = log;
    response.setHeader('X-Request-Id', requestId);
    const began = performance.now();
    const { method, path } = request;
    response.on('close', () => {
      const took = performance.now() - began;
      const status = response.statusCode;
      countAnswer(path, status, took, request.logFacts?.code ?? '');
      if (!logged) return;
      const ms = Math.round(took * 10) / 10;
      const level = status < 400 && isProbe(path) ? 'debug' : 'info';
      log[level]({ requestId, method, path, status, ms, ...request.logFacts }, 'request');
    });
    if (request.rawHeaders.length > 2 * MAX_HEADERS) {
      const most = MAX_HEADERS;
      return next(new ApiError('E0001R', 'request.headers', { most }, { status: 431 }));
    }
    const fault = framingFault(request);
    if (fault !== undefined) return next(new ApiError('E0001R', fault, {}, CLOSE));
    next();
  };
}

const CLOSE = { headers: { Connection: 'close' } };

/**
 * Faults in the framing of a request that Node accepts. With two `Host` lines, proxies and servers may
 * disagree about the requested host (RFC 9112 §3.2), and a request line without a version can have no
 * headers at all.
 */
function framingFault({ httpVersionMajor, rawHeaders }: Request) {
  if (httpVersionMajor !== 1) return 'request.httpVersion';
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1 ? 'request.hosts' : undefined;
}
