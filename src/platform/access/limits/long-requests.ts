import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';

/** Answers to connection errors, by code: the same as Node's own if there is no listener for such errors. */
const ANSWERS = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', '413 Payload Too Large'],
]);
const OTHERWISE = '400 Bad Request';

/**
 * A request must arrive within half a minute. A file with a million users takes longer, since its sender waits
 * while it is stored. Such requests of accounts may take longer, but a connection that is idle for long is
 * closed all the same.
 */
@Injectable()
export class LongRequests implements OnApplicationBootstrap {
  private readonly patient = new WeakSet<Duplex>();

  constructor(private readonly host: HttpAdapterHost) {}

  onApplicationBootstrap(): void {
    // Commands have no HTTP server.
    const server = this.host.httpAdapter?.getHttpServer() as Server | undefined;
    server?.on('clientError', (error: NodeJS.ErrnoException, socket) => this.failed(error, socket));
  }

  /**
   * Lifts the time limit of a request while its file is received: for callers whose permission was checked. The next
   * request on its connection has the usual limit again.
   */
  async during<T>(
    { socket }: Pick<IncomingMessage, 'socket'>,
    receive: () => Promise<T>,
  ): Promise<T> {
    this.patient.add(socket);
    try {
      return await receive();
    } finally {
      this.patient.delete(socket);
    }
  }

  private failed({ code = '' }: NodeJS.ErrnoException, socket: Duplex): void {
    // Node reports the timeout once, and continues reading.
    if (code === 'ERR_HTTP_REQUEST_TIMEOUT' && this.patient.has(socket)) return;
    if (socket.writable && !hasBegunToAnswer(socket)) {
      socket.write(`HTTP/1.1 ${ANSWERS.get(code) ?? OTHERWISE}\r\nConnection: close\r\n\r\n`);
    }
    socket.destroy();
  }
}

/** Whether a response has begun: a second one would be read as the rest of the first. */
const hasBegunToAnswer = (socket: Duplex & { _httpMessage?: { headersSent?: boolean } | null }) =>
  socket._httpMessage?.headersSent === true;
