import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { addressGroup } from '../../common/network/address-group.js';
import { serverOptions, type ServerOptions } from '../../config/server-config.js';

/** Requests that a client may send before it has read the answer to the first of them. */
const MAX_UNANSWERED = 16;

/** An open connection, and whether it may be ended. */
class Connection {
  /** Whether it is kept, however long it is idle. */
  spared = false;
  private readonly unanswered: ServerResponse[] = [];
  /** Node answers the requests of a connection in their order. */
  private readonly answered = (): void => void this.unanswered.shift();

  constructor(
    readonly socket: Socket,
    /** The address group of its client. */
    readonly group: string,
  ) {}

  /**
   * Whether a response is still being created, to a request that has arrived completely or whose rest the server is not
   * reading yet: the client cannot send more then. Further requests do not matter, since they wait for this response.
   */
  get owesAnswer(): boolean {
    const [first] = this.unanswered;
    if (!first) return false;
    const { req, writableEnded, writableNeedDrain } = first;
    const isOurTurn = req.complete || req.readableFlowing !== true;
    return isOurTurn && !writableEnded && !writableNeedDrain;
  }

  /** @returns whether there are not too many */
  owe(response: ServerResponse): boolean {
    this.unanswered.push(response);
    response.once('close', this.answered);
    return this.unanswered.length <= MAX_UNANSWERED;
  }
}

/** Connections in the order of their latest requests (or beginnings), the longest idle first. */
class Connections extends Set<Connection> {
  moveBack(connection: Connection): void {
    if (this.delete(connection)) this.add(connection);
  }

  /** Of the connections that may be ended, the one whose last request is the oldest. */
  longestSilent(): Connection | undefined {
    for (const connection of this) {
      if (!connection.spared && !connection.owesAnswer) return connection;
    }
    return undefined;
  }
}

/** A connection is closed after this many requests, so that a load balancer can redistribute long-lived ones. */
const REQUESTS_PER_CONNECTION = 100_000;
/** A connection that has been idle for so long is closed, unless a response of ours is due. */
const SILENCE_MS = 10_000;
/** Connections that an address group may always have, even if they are more than a tenth of all. */
const LEAST_SHARE = 16;

/**
 * Limits the open connections, in total and per address group. If there is no room, a new connection replaces the one
 * that has been idle longest, but none that waits for a response or has sent an account's password. A connection with
 * too many unanswered requests is ended.
 *
 * Behind a proxy (`--trust-proxy`) all connections are the proxy's, whose address may have them all.
 */
@Injectable()
export class ConnectionLimits implements OnApplicationBootstrap {
  private readonly all = new Connections();
  private readonly groups = new Map<string, Connections>();
  private readonly bySocket = new WeakMap<Socket, Connection>();
  /** TLS connections by their two ends, since their requests arrive on another socket. */
  private readonly handshakes = new Map<string, Connection>();
  private readonly share: number;

  constructor(
    private readonly host: HttpAdapterHost,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
  ) {
    const { maxConnections, trustProxy } = options;
    const tenth = Math.max(LEAST_SHARE, Math.ceil(maxConnections / 10));
    this.share = trustProxy > 0 ? maxConnections : tenth;
  }

  onApplicationBootstrap(): void {
    // Commands have no HTTP server.
    const server = this.host.httpAdapter?.getHttpServer() as Server | undefined;
    if (!server) return;
    server.maxRequestsPerSocket = REQUESTS_PER_CONNECTION;
    server.setTimeout(SILENCE_MS, (socket) => this.silent(socket));
    server.on('connection', (socket) => this.admit(socket));
    if (this.options.tlsCert !== undefined) {
      server.on('connection', (socket) => this.shakeHands(socket));
      server.on('secureConnection', (socket: Socket) => this.secured(socket));
    }
    server.on('request', (request, response) => this.requested(request, response));
    // As Node does without a listener.
    server.on('checkExpectation', (request, response) => {
      this.requested(request, response);
      response.writeHead(417).end();
    });
  }

  /** Protects the connection of a request with an account's correct password from being ended. */
  spare({ socket }: Pick<IncomingMessage, 'socket'>): void {
    const connection = this.bySocket.get(socket);
    // A proxy's connection carries requests of any caller.
    if (connection && this.options.trustProxy === 0) connection.spared = true;
  }

  private admit(socket: Socket): void {
    const name = addressGroup(socket.remoteAddress);
    const group = this.groups.get(name) ?? new Connections();
    if (!this.makeRoom(group)) {
      socket.destroy();
      return;
    }
    const connection = new Connection(socket, name);
    this.bySocket.set(socket, connection);
    this.groups.set(name, group);
    group.add(connection);
    this.all.add(connection);
    socket.once('close', () => this.remove(connection));
  }

  /** Whether there is room for one more connection of a group; ends an idle one if there is none. */
  private makeRoom(group: Connections): boolean {
    const full = group.size >= this.share ? group : this.all;
    if (full === this.all && full.size < this.options.maxConnections) return true;
    const silent = full.longestSilent();
    if (!silent) return false;
    this.remove(silent);
    silent.socket.destroy();
    return true;
  }

  private remove(connection: Connection): void {
    const group = this.groups.get(connection.group);
    this.all.delete(connection);
    group?.delete(connection);
    if (group?.size === 0) this.groups.delete(connection.group);
  }

  private shakeHands(socket: Socket): void {
    const connection = this.bySocket.get(socket);
    if (!connection) return;
    const ends = endsOf(socket);
    this.handshakes.set(ends, connection);
    socket.once('close', () => this.handshakes.delete(ends));
  }

  private secured(socket: Socket): void {
    const connection = this.handshakes.get(endsOf(socket));
    if (connection) this.bySocket.set(socket, connection);
  }

  private requested({ socket }: IncomingMessage, response: ServerResponse): void {
    const connection = this.bySocket.get(socket);
    if (!connection || socket.destroyed) return;
    if (!connection.owe(response)) {
      socket.destroy();
      return;
    }
    this.all.moveBack(connection);
    this.groups.get(connection.group)?.moveBack(connection);
  }

  private silent(socket: Socket): void {
    if (!this.bySocket.get(socket)?.owesAnswer) socket.destroy();
  }
}

const endsOf = ({ remoteAddress, remotePort, localAddress }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress}`;
