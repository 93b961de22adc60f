import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { HttpAdapterHost } from '@nestjs/core';
import { serverOptions } from '../config/server-config.js';
import { addressGroup } from '../common/address-group.js';

/** So that a load balancer gets to spread what it keeps alive. */
const REQUESTS_PER_CONNECTION = 100_000;

/**
 * Bounds the open connections: all together, and one address to half of them, so that it cannot
 * take the place of everybody else. Behind a proxy all come from its address, which may have all.
 */
@Injectable()
export class ConnectionLimits implements OnApplicationBootstrap {
  private readonly open = new Map<string, number>();

  constructor(
    private readonly host: HttpAdapterHost,
    @Inject(serverOptions.KEY) private readonly options: ConfigType<typeof serverOptions>,
  ) {}

  onApplicationBootstrap(): void {
    // Commands have no HTTP server.
    const server = this.host.httpAdapter?.getHttpServer() as Server | undefined;
    if (!server) return;
    const { maxConnections, trustProxy } = this.options;
    server.maxConnections = maxConnections;
    server.maxRequestsPerSocket = REQUESTS_PER_CONNECTION;
    const share = trustProxy > 0 ? maxConnections : Math.ceil(maxConnections / 2);
    server.on('connection', (socket) => this.admit(socket, share));
  }

  private admit(socket: Socket, share: number): void {
    const caller = addressGroup(socket.remoteAddress);
    const count = (this.open.get(caller) ?? 0) + 1;
    if (count > share) {
      socket.destroy();
      return;
    }
    this.open.set(caller, count);
    socket.once('close', () => {
      const left = (this.open.get(caller) ?? 1) - 1;
      if (left === 0) this.open.delete(caller);
      else this.open.set(caller, left);
    });
  }
}
