import { randomBytes } from 'node:crypto';
import { createParamDecorator } from '@nestjs/common';
import type { ExecutionContext } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import type { Logger } from 'pino';
import { ApiError } from '../errors/api-error.js';
import { countAnswer } from './call-metrics.js';

/** Written for the log by whoever knows: the refusal's code and, for us only, its detail. */
export interface LogFacts {
  code?: string | null;
  detail?: string;
}

declare module 'express-serve-static-core' {
  interface Request {
    /** Names the request in the answer, in the log and in events. */
    requestId: string;
    logFacts?: LogFacts;
  }
}

/** The id of the call, for what a handler records. */
export const RequestId = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<Request>().requestId,
);

/** The header of this name; as a `@Headers()` OpenAPI would list it, which has a word of its own for it. */
export const Authorization = createParamDecorator(
  (_: unknown, context: ExecutionContext) =>
    context.switchToHttp().getRequest<Request>().headers.authorization,
);

/** Unlike other processes' ids; the rest only counts. */
const PROCESS = randomBytes(6).toString('base64url');
let counter = 0;

/** Browsers and proxies send some 30; Node's own limit is what 16 KB hold. */
const MAX_HEADERS = 100;

/** Gives each request its id, and the log one line about it, without query, cookies and bodies. */
export function requestContext(log: Logger) {
  const logged = log.isLevelEnabled('info');
  return (request: Request, response: Response, next: NextFunction): void => {
    counter += 1;
    const requestId = `${PROCESS}-${counter.toString(36)}`;
    request.requestId = requestId;
    response.setHeader('X-Request-Id', requestId);
    const began = performance.now();
    const { method, path } = request;
    response.on('close', () => {
      const took = performance.now() - began;
      const status = response.statusCode;
      countAnswer(path, { status, ms: took, code: request.logFacts?.code });
      if (!logged) return;
      const ms = Math.round(took * 10) / 10;
      log.info({ requestId, method, path, status, ms, ...request.logFacts }, 'request');
    });
    if (request.rawHeaders.length > 2 * MAX_HEADERS) {
      const sentence = `A request can have at most ${MAX_HEADERS} headers.`;
      return next(new ApiError('E0001R', sentence, { status: 431 }));
    }
    const fault = framingFault(request);
    if (fault !== undefined) return next(new ApiError('E0001R', fault, CLOSE));
    next();
  };
}

const CLOSE = { headers: { Connection: 'close' } };

/**
 * What is wrong with the frame of a request that Node lets through: proxies and servers that take
 * another one of two `Host` lines disagree about whose request it is (RFC 9112 §3.2), and a request
 * line without a version can have no headers at all.
 */
function framingFault({ httpVersionMajor, rawHeaders }: Request): string | undefined {
  if (httpVersionMajor !== 1) return 'Requests must be HTTP/1.1.';
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1 ? 'A request must have one "Host" header.' : undefined;
}
