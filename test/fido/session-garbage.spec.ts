import { ServerResponse, type IncomingMessage } from 'node:http';
import v8 from 'node:v8';
import vm from 'node:vm';
import type { Request, RequestHandler, Response } from 'express';
import { fidoSession } from '../../src/fido/ceremonies/session.js';

const REQUESTS = 500;
/** The bytes of all requests, if all were kept: a quarter of them is more than any noise. */
const HELD = REQUESTS * 64 * 1024;

v8.setFlagsFromString('--expose-gc');
const collect = vm.runInNewContext('gc') as (how?: { type: 'minor' }) => void;

/** Some 64 KB. */
const body = () => Array.from({ length: 1000 }, (_, i) => ({ i }));

describe('the memory of a session', () => {
  it('a session releases its request at the next minor garbage collection', () => {
    expect(keptBy(fidoSession('secret'))).toBeLessThan(HELD / 4);
  });

  it('the measurement of the memory detects requests that are retained', () => {
    const kept: Request[] = [];
    const keeping: RequestHandler = (request, _response, next) => {
      kept.push(request as Request);
      next();
    };
    expect(keptBy(keeping)).toBeGreaterThan(HELD / 4);
  });
});

function serveBy(middleware: RequestHandler): void {
  const request = {
    headers: {},
    originalUrl: '/fidoapi/certify/assertion/options',
    ip: '::1',
    body: body(),
  } as Request;
  const response = new ServerResponse(request as IncomingMessage);
  void middleware(request, response as Response, () => response.writeHead(200));
}

/** The growth of the heap in bytes after minor garbage collections. */
function leftBy(middleware: RequestHandler): number {
  serveBy(middleware);
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let served = 0; served < REQUESTS; served += 1) {
    serveBy(middleware);
    if (served % 50 === 0) collect({ type: 'minor' });
  }
  for (let times = 0; times < 3; times += 1) collect({ type: 'minor' });
  return process.memoryUsage().heapUsed - before;
}

/** How much more a middleware leaves than none. Other garbage of the process may be collected during a measurement. */
function keptBy(middleware: RequestHandler): number {
  const none: RequestHandler = (_request, _response, next) => next();
  const times = Array.from({ length: 3 }, () => [leftBy(middleware), leftBy(none)] as const);
  return Math.min(...times.map(([left]) => left)) - Math.max(...times.map(([, left]) => left));
}
