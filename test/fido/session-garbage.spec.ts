import { ServerResponse } from 'node:http';
import type { IncomingMessage } from 'node:http';
import v8 from 'node:v8';
import vm from 'node:vm';
import type { Request, Response } from 'express';
import { fidoSession } from '../../src/fido/ceremonies/session.js';

const REQUESTS = 500;
const MIB = 1024 ** 2;

v8.setFlagsFromString('--expose-gc');
const collect = vm.runInNewContext('gc') as (how?: { type: 'minor' }) => void;

/** Some 64 KB. */
const body = () => Array.from({ length: 1000 }, (_, i) => ({ i }));

describe("a session's garbage", () => {
  it('lets go of the request at the next small collection', () => {
    const middleware = fidoSession('secret');
    const serve = () => {
      const request = {
        ...{ headers: {}, originalUrl: '/fidoapi/certify/assertion/options', ip: '::1' },
        body: body(),
      } as unknown as Request;
      const response = new ServerResponse(request as unknown as IncomingMessage);
      middleware(request, response as Response, () => response.writeHead(200));
    };
    serve();
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let served = 0; served < REQUESTS; served += 1) {
      serve();
      if (served % 50 === 0) collect({ type: 'minor' });
    }
    for (let times = 0; times < 3; times += 1) collect({ type: 'minor' });
    expect((process.memoryUsage().heapUsed - before) / MIB).toBeLessThan(8);
  });
});
