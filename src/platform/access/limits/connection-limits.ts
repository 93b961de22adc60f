import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { HttpAdapterHost } from '@nestjs/core';
import { addressGroup } from '../../common/address-group.js';
import { serverOptions } from '../../config/server-config.js';

/** An open connection, and whether it must not be ended. */
class Connection {
  /** Whether it is kept, however long it is silent. */
  spared = false;
  private latest: ServerResponse | undefined;
  private due = 0;
  private readonly answered = (): void => {
    this.due -= 1;
    // Otherwise the answer would stay in memory for as long as the connection does.
    if (this.due === 0) this.latest = undefined;
  };

  constructor(
    readonly socket: Socket,
    /** The address group that it comes from. */
    readonly group: string,
  ) {}

  /** Whether a request has arrived in full and its answer is still being made. */
  get owesAnswer(): boolean {
    if (!this.latest) return false;
    const { req, writableEnded, writableNeedDrain } = this.latest;
    return this.due > 1 || (req.complete && !writableEnded && !writableNeedDrain);
  }

  /** Notes the answer to a request that has begun. */
  owe(response: ServerResponse): void {
    this.latest = response;
    this.due += 1;
    response.once('close', this.answered);
  }
}

/** Connections in the order of their latest requests (or beginnings), the longest silent first. */
class Connections {
  private readonly order = new Set<Connection>();

  get size(): number {
    return this.order.size;
  }

  add(connection: Connection): void {
    this.order.add(connection);
  }

  delete(connection: Connection): void {
    this.order.delete(connection);
  }

  moveBack(connection: Connection): void {
    if (this.order.delete(connection)) this.order.add(connection);
  }

  /** The connection that asked for something longest ago, of those that may be ended. */
  longestSilent(): Connection | undefined {
    for (const connection of this.order) {
      if (!connection.spared && !connection.owesAnswer) return connection;
    }
    return undefined;
  }
}

/** A connection is closed after this many requests, so that a load balancer can spread those it keeps alive. */
const REQUESTS_PER_CONNECTION = 100_000;
/** A connection on which nothing has moved for so long is closed, unless an answer of ours is due. */
const SILENCE_MS = 10_000;
/** Connections that an address group may hold in any case, even if they are more than a tenth of all. */
const LEAST_SHARE = 16;

/**
 * Bounds the open connections, of all and of each address group. Where there is no room, a new connection replaces the
 * one that has been silent longest, but none that waits for an answer or has shown an administrator's password.
 *
 * Behind a proxy (`--trust-proxy`) all connections are the proxy's, whose address may have them all.
 */
@Injectable()
export class ConnectionLimits implements OnApplicationBootstrap {
  private readonly all = new Connections();
  private readonly groups = new Map<string, Connections>();
  private readonly bySocket = new WeakMap<Socket, Connection>();
  /** Connections over TLS by their two ends, since their requests come on another socket. */
  private readonly handshakes = new Map<string, Connection>();
  private readonly share: number;

  constructor(
    private readonly host: HttpAdapterHost,
    @Inject(serverOptions.KEY) private readonly options: ConfigType<typeof serverOptions>,
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
    server.on('request', (request, response) => this.asked(request, response));
  }

  /** Keeps a connection from being ended: that of a request that had an administrator's right password. */
  spare({ socket }: Pick<IncomingMessage, 'socket'>): void {
    const connection = this.bySocket.get(socket);
    // A proxy's connection carries anybody's requests.
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

  /** Whether there is room for one more connection of a group; ends a silent one where there is none. */
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

  private asked({ socket }: IncomingMessage, response: ServerResponse): void {
    const connection = this.bySocket.get(socket);
    if (!connection) return;
    connection.owe(response);
    this.all.moveBack(connection);
    this.groups.get(connection.group)?.moveBack(connection);
  }

  private silent(socket: Socket): void {
    if (!this.bySocket.get(socket)?.owesAnswer) socket.destroy();
  }
}

const endsOf = ({ remoteAddress, remotePort, localAddress }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress}`;
