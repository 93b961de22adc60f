import { once } from 'node:events';
import {
  createServer,
  request,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { HttpAdapterHost } from '@nestjs/core';
import { loadOptions } from '../../config/load-options.js';
import { ConnectionLimits } from './connection-limits.js';

/** More than the two ends of a connection keep while nobody reads. */
const BODY = Buffer.alloc(32 * 1024 * 1024);
const GET = 'GET / HTTP/1.1\r\nHost: a.test\r\n\r\n';

describe('a connection that is silent for longer than it may be', () => {
  let server: Server;
  afterEach(() => server.close());

  async function serve(listener: RequestListener): Promise<number> {
    server = createServer(listener);
    const host = { httpAdapter: { getHttpServer: () => server } } as HttpAdapterHost;
    new ConnectionLimits(host, loadOptions([], {}).options).onApplicationBootstrap();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  }

  /** The body of the answer to a long request; rejects if the connection is cut. */
  async function answerTo(listener: RequestListener): Promise<string> {
    const port = await serve(listener);
    const sent = request({ port, host: '127.0.0.1', method: 'POST' });
    sent.end(BODY);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return text(response);
  }

  /** Lets a connection be silent for too long, then reads the rest of the request and answers. */
  function readAfterSilence(received: IncomingMessage, response: ServerResponse): void {
    received.socket.setTimeout(1);
    server.once('timeout', () => {
      received.socket.setTimeout(0);
      received.resume().once('end', () => response.end('read'));
    });
  }

  it('a silent connection is kept while the server has stopped reading its request', async () => {
    const answer = await answerTo((received, response) => {
      received.once('data', () => {
        received.pause();
        readAfterSilence(received, response);
      });
    });
    expect(answer).toBe('read');
  });

  it('a silent connection is kept while the server has not begun to read its request', async () => {
    expect(await answerTo(readAfterSilence)).toBe('read');
  });

  it('a silent connection is cut while the server waits for the rest of its request', async () => {
    const port = await serve((received) => received.resume().socket.setTimeout(1));
    const client = connect(port, '127.0.0.1');
    client.write('POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 9\r\n\r\nhalf');
    await once(client.resume(), 'close');
    expect(client.destroyed).toBe(true);
  });

  it('a silent connection is cut while its client does not read the first of two answers', async () => {
    const port = await serve((received, response) => {
      received.socket.setTimeout(100);
      response.end(BODY);
    });
    const client = connect(port, '127.0.0.1');
    const [socket] = (await once(server, 'connection')) as [Socket];
    client.write(GET.repeat(2));
    await once(socket, 'close');
    expect(client.bytesRead).toBeLessThan(BODY.length);
    client.destroy();
  });

  it('a silent connection is kept while the server creates the first of two answers', async () => {
    const answers: ServerResponse[] = [];
    const port = await serve(({ socket }, response) => {
      answers.push(response);
      if (answers.length === 2) socket.setTimeout(1);
    });
    const client = connect(port, '127.0.0.1');
    client.write(`${GET}${GET.replace('Host', 'Connection: close\r\nHost')}`);
    const [socket] = (await once(server, 'timeout')) as [Socket];
    socket.setTimeout(0);
    for (const answer of answers) answer.end('made');
    expect(await text(client)).toMatch(/made.+made/s);
  });
});
