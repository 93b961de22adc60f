import { EventEmitter, once } from 'node:events';
import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { ApiError } from '../errors/api-error.js';
import { OptionMistakes } from '../config/option-types.js';
import type { ServerOptions } from '../config/server-config.js';
import { isError } from '../errors/driver-errors.js';
import { ioredis } from './optional-packages.js';

/** How long a command may take; with the wait for a connection it stays below a second. */
const COMMAND_MS = 700;
const CONNECTION_MS = 250;
/** How long a server that stopped answering may take to close the connection properly. */
const FAREWELL_MS = 100;
const MAX_PAUSE_MS = 1000;
/** Errors that waiting does not solve: a wrong password, and a database that there is not, or not for this user. */
const LASTING = /^(?:WRONGPASS|NOAUTH|(?:ERR|NOPERM) .*(?:DB index|SELECT|'select'))/;

/**
 * The connection to Redis or Valkey. While the server is away nothing is queued: a caller waits a moment, then receives
 * E0052R, and no command is repeated that may have been executed already.
 */
export class RedisLink implements OnApplicationShutdown {
  private readonly logger = new Logger(RedisLink.name);
  readonly client: Redis;
  private runId: string | undefined;
  private lostAt = performance.now();
  private closed = false;
  /** The last error of the server or the connection; empty once it answers. */
  private fault = '';
  private readonly events = new EventEmitter().setMaxListeners(0);

  constructor(url: string) {
    const { Redis } = ioredis();
    this.client = new Redis(url, {
      connectTimeout: COMMAND_MS,
      disconnectTimeout: FAREWELL_MS,
      enableOfflineQueue: false,
      // Commands of one turn of the event loop share one write. With 16 sign-ins at a time, strace counts 10.0 system
      // calls a login instead of 12.7.
      enableAutoPipelining: true,
      // ioredis would never be ready if INFO is renamed; `learnRunId` requests it, and works without it.
      enableReadyCheck: false,
      // Without its ready check, ioredis waits for these commands and then believes in a connection that a proxy has
      // closed meanwhile. It would never connect again.
      disableClientInfo: true,
      maxRetriesPerRequest: 0,
      // If the server became a replica, its address may lead to the new primary by now.
      reconnectOnError: (error) => error.message.startsWith('READONLY'),
      // ioredis retries even after `disconnect` if that was called while it was connecting.
      retryStrategy: (attempt) => (this.closed ? null : Math.min(attempt * 100, MAX_PAUSE_MS)),
    });
    limitCommands(this.client);
    this.client.on('error', (error) => this.report(error));
    this.client.on('connect', () => (this.fault = ''));
    this.client.on('ready', () => void this.learnRunId());
    this.client.on('close', () => this.lose());
  }

  get connected(): boolean {
    return this.runId !== undefined;
  }

  /**
   * Sends a command.
   *
   * @param command receives the server's run ID, which names its current data and changes with a restart or a
   *   failover. Data that must not reappear after one has this ID in its key.
   * @throws ApiError E0052R within a second
   */
  async ask<T>(command: (runId: string) => Promise<T>): Promise<T> {
    const lostAt = this.lostAt;
    try {
      return await command(this.runId ?? (await this.nextRunId()));
    } catch (error) {
      if (isTimeout(error) && lostAt === this.lostAt) this.giveUpLine();
      throw new ApiError(
        'E0052R',
        'server.unavailable',
        {},
        { headers: { 'Retry-After': '1' }, cause: error },
      );
    }
  }

  /**
   * Waits up to `seconds` for a server that does not answer yet, and logs that.
   *
   * @throws Error if it does not answer, or at once OptionMistakes if it refuses the password or the database
   */
  async openWithin(seconds: number): Promise<void> {
    const deadline = performance.now() + seconds * 1000;
    while (!this.connected) {
      const left = Math.ceil((deadline - performance.now()) / 1000);
      if (this.isRefused) throw new OptionMistakes([`--sessions: ${this.fault}`]);
      if (left <= 0) throw new Error(`--sessions: Redis does not answer. ${this.fault}`.trim());
      const opened = once(this.events, 'open', { signal: AbortSignal.timeout(COMMAND_MS) });
      if (await opened.catch(() => undefined)) return;
      this.logger.warn(`Redis does not answer yet; waiting up to ${left} s more`);
    }
  }

  onApplicationShutdown(): void {
    this.closed = true;
    this.client.disconnect();
  }

  private get isRefused(): boolean {
    return LASTING.test(this.fault);
  }

  /** Waits during a short interruption; fails at once during a long one. */
  private async nextRunId(): Promise<string> {
    const left = this.lostAt + CONNECTION_MS - performance.now();
    if (left <= 0) throw new Error('Redis is not connected.');
    await once(this.events, 'open', { signal: AbortSignal.timeout(Math.ceil(left)) });
    if (this.runId === undefined) throw new Error('Redis was lost again.');
    return this.runId;
  }

  /**
   * Reads the server's run_id: all instances see the same one, and it changes with a restart or
   * another server. A server that refuses to report it (some hosted ones) is treated as one that never changes. One
   * that was only slow is asked again; otherwise this instance would use other keys than the others.
   */
  private async learnRunId(): Promise<void> {
    const lostAt = this.lostAt;
    const info = await this.client.info('server').catch((error: unknown) => {
      if (isError(error) && !this.isRefused) this.fault = error.message;
      return refusedInfo(error);
    });
    if (lostAt !== this.lostAt || this.client.status !== 'ready') return;
    // ioredis would go on in database 0 if it may not use the one in the address.
    if (info === undefined || this.isRefused) return this.giveUpLine();
    this.fault = '';
    this.runId = /^run_id:(\w{1,16})/m.exec(info)?.[1] ?? '';
    this.events.emit('open');
  }

  /** Logs an error of the connection, except after shutdown, when failing commands are expected. */
  private report({ message }: Error): void {
    this.fault = message;
    if (!this.closed) this.logger.warn(`Redis: ${message}`);
  }

  /**
   * Drops a connection that was silent for too long: commands on it might never be answered, and a new
   * connection shows whether the server is reachable.
   */
  private giveUpLine(): void {
    if (this.client.status === 'ready') this.client.disconnect(true);
    this.lose();
  }

  private lose(): void {
    // Failed attempts to connect also emit `close`; they belong to the same interruption.
    if (this.runId === undefined) return;
    this.runId = undefined;
    this.lostAt = performance.now();
  }
}

/** `null` if sessions are stored in memory. */
export const openRedis = ({ sessions }: ServerOptions): RedisLink | null =>
  sessions.startsWith('memory:') ? null : new RedisLink(sessions);

const TIMED_OUT = 'Command timed out';
const isTimeout = (error: unknown) => isError(error) && error.message === TIMED_OUT;

/**
 * As `commandTimeout` of ioredis. But if this process was busy for as long, the answers that arrived meanwhile are read
 * before the timers decide.
 */
function limitCommands(client: Redis): void {
  const send = client.sendCommand.bind(client);
  client.sendCommand = (command, stream) => {
    const giveUp = () => setImmediate(() => command.reject(new Error(TIMED_OUT)));
    const timer = setTimeout(giveUp, COMMAND_MS);
    const stop = () => clearTimeout(timer);
    command.promise.then(stop, stop);
    return send(command, stream);
  };
}

/** An empty text if the server will never answer INFO: it does not permit the command, or does not know it. */
const refusedInfo = (error: unknown) =>
  isError(error) && /^(?:NOPERM|ERR) /.test(error.message) ? '' : undefined;
