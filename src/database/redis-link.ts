import { EventEmitter, once } from 'node:events';
import { Logger } from '@nestjs/common';
import type { OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';
import { ApiError } from '../errors/api-error.js';
import { isError } from '../errors/is-error.js';

/** What a command may take; with the wait for a connection it stays below a second. */
const COMMAND_MS = 700;
const CONNECTION_MS = 250;
/** How long a server that fell silent is given to close the line in good order. */
const FAREWELL_MS = 100;
const MAX_PAUSE_MS = 1000;

/**
 * The connection to Redis or Valkey. While it is away nothing is queued: a caller waits a moment,
 * then hears E0052R, and nothing is sent again that may have been done already.
 */
export class RedisLink implements OnApplicationShutdown {
  readonly client: Redis;
  private epoch: string | undefined;
  private lostAt = performance.now();
  private closed = false;
  private readonly events = new EventEmitter().setMaxListeners(0);

  constructor(url: string) {
    this.client = new Redis(url, {
      connectTimeout: COMMAND_MS,
      commandTimeout: COMMAND_MS,
      disconnectTimeout: FAREWELL_MS,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      // A replica that was a primary: its address may lead to the new one by now.
      reconnectOnError: (error) => error.message.startsWith('READONLY'),
      // ioredis tries again even after `disconnect`, when that comes while it connects.
      retryStrategy: (attempt) => (this.closed ? null : Math.min(attempt * 100, MAX_PAUSE_MS)),
    });
    this.client.on('error', (error) => this.report(error));
    this.client.on('ready', () => void this.learnEpoch());
    this.client.on('close', () => this.lose());
  }

  /** Whether commands can be sent now. */
  get connected(): boolean {
    return this.epoch !== undefined;
  }

  /**
   * Sends a command.
   *
   * @param command is given the epoch, a name for the server's data as it stands: after a restart
   *   or a failover it is another one. What must not come back from the dead has it in its key.
   * @throws ApiError E0052R within a second
   */
  async ask<T>(command: (epoch: string) => Promise<T>): Promise<T> {
    const lostAt = this.lostAt;
    try {
      return await command(this.epoch ?? (await this.nextEpoch()));
    } catch (error) {
      if (isTimeout(error) && lostAt === this.lostAt) this.giveUpLine();
      throw new ApiError('E0052R', undefined, { headers: { 'Retry-After': '1' }, cause: error });
    }
  }

  async ping(): Promise<void> {
    await this.ask(() => this.client.ping());
  }

  onApplicationShutdown(): void {
    this.closed = true;
    this.client.disconnect();
  }

  /** Short interruptions are waited for; in a long one everybody hears at once. */
  private async nextEpoch(): Promise<string> {
    const left = this.lostAt + CONNECTION_MS - performance.now();
    if (left <= 0) throw new Error('Redis is not connected.');
    await once(this.events, 'open', { signal: AbortSignal.timeout(Math.ceil(left)) });
    if (this.epoch === undefined) throw new Error('Redis was lost again.');
    return this.epoch;
  }

  /**
   * The server's run_id: instances agree on it, and a restart or another server has another one. A
   * server that refuses to tell it (some hosted ones) is taken for one that never changes; one that was
   * only slow is asked again, or this instance would look for other keys than its neighbours.
   */
  private async learnEpoch(): Promise<void> {
    const lostAt = this.lostAt;
    const info = await this.client.info('server').catch(refusedInfo);
    if (lostAt !== this.lostAt || this.client.status !== 'ready') return;
    if (info === undefined) return this.giveUpLine();
    this.epoch = /^run_id:(\w{1,16})/m.exec(info)?.[1] ?? '';
    this.events.emit('open');
  }

  /** What a connection that was given up while it was made could not send is no news. */
  private report({ message }: Error): void {
    if (!this.closed) Logger.warn(`Redis: ${message}`, 'Redis');
  }

  /** A line that was silent so long would keep what is sent to it; a new one shows how things are. */
  private giveUpLine(): void {
    if (this.client.status === 'ready') this.client.disconnect(true);
    this.lose();
  }

  private lose(): void {
    // Attempts that fail close too: the interruption goes on.
    if (this.epoch === undefined) return;
    this.epoch = undefined;
    this.lostAt = performance.now();
  }
}

const isTimeout = (error: unknown) => isError(error) && error.message === 'Command timed out';

/** What a server tells that never will: it lets nobody ask, or knows no such command. */
const refusedInfo = (error: unknown) =>
  isError(error) && /^(?:NOPERM|ERR) /.test(error.message) ? '' : undefined;
