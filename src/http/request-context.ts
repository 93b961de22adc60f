import { randomBytes } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';
import type { Logger } from 'pino';

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

/** Unlike other processes' ids; the rest only counts. */
const PROCESS = randomBytes(6).toString('base64url');
let counter = 0;

/** Gives each request its id, and the log one line about it, without query, cookies and bodies. */
export function requestContext(log: Logger) {
  const logged = log.isLevelEnabled('info');
  return (request: Request, response: Response, next: NextFunction): void => {
    counter += 1;
    const requestId = `${PROCESS}-${counter.toString(36)}`;
    request.requestId = requestId;
    response.setHeader('X-Request-Id', requestId);
    if (logged) {
      const began = performance.now();
      const { method, path } = request;
      response.on('close', () => {
        const ms = Math.round((performance.now() - began) * 10) / 10;
        const status = response.statusCode;
        log.info({ requestId, method, path, status, ms, ...request.logFacts }, 'request');
      });
    }
    next();
  };
}
