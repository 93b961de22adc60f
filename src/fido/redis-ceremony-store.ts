import { Logger } from '@nestjs/common';
import { Redis } from 'ioredis';
import { ApiError } from '../errors/api-error.js';
import { CeremonyStore, MAX_PER_SESSION } from './ceremony-store.js';

const PREFIX = 'servicefido:ceremonies:';
/** Entries know their own end; the key only must not outlive the last of them by much. */
const GRACE_MS = 1000;
const TIMEOUT_MS = 1000;

/** KEYS[1] session; ARGV[1] entry, ARGV[2] most entries, ARGV[3] life in ms. */
const PUT = `
redis.call('RPUSH', KEYS[1], ARGV[1])
redis.call('LTRIM', KEYS[1], -ARGV[2], -1)
redis.call('PEXPIRE', KEYS[1], ARGV[3])`;

/** KEYS[1] session; ARGV[1] label, ARGV[2] kind. One script, one key: atomic, on a cluster too. */
const TAKE = `
local entries = redis.call('LRANGE', KEYS[1], 0, -1)
for _, prefix in ipairs({ARGV[1], ARGV[2]}) do
  for i = #entries, 1, -1 do
    if string.sub(entries[i], 1, #prefix) == prefix then
      redis.call('LREM', KEYS[1], -1, entries[i])
      return entries[i]
    end
  end
end
return false`;

interface CeremonyRedis extends Redis {
  putCeremony(key: string, entry: string, most: number, lifeMs: number): Promise<null>;
  takeCeremony(key: string, label: string, kind: string): Promise<string | null>;
}

/** Pending ceremonies in Redis or Valkey, for several instances. */
export class RedisCeremonyStore extends CeremonyStore {
  private readonly redis: CeremonyRedis;
  private closed = false;

  constructor(
    url: string,
    private readonly lifeMs: number,
  ) {
    super();
    this.redis = new Redis(url, {
      connectTimeout: TIMEOUT_MS,
      commandTimeout: TIMEOUT_MS,
      maxRetriesPerRequest: 1,
      // ioredis tries again even after `disconnect`, when that comes while it connects.
      retryStrategy: (attempt) => (this.closed ? null : Math.min(attempt * 100, 1000)),
      scripts: {
        putCeremony: { lua: PUT, numberOfKeys: 1 },
        takeCeremony: { lua: TAKE, numberOfKeys: 1 },
      },
    }) as CeremonyRedis;
    this.redis.on('error', (error) => Logger.warn(`Redis: ${error.message}`, 'CeremonyStore'));
  }

  async put(session: string, entry: string): Promise<void> {
    const life = this.lifeMs + GRACE_MS;
    await this.ask(() => this.redis.putCeremony(PREFIX + session, entry, MAX_PER_SESSION, life));
  }

  async take(session: string, label: string, kind: string): Promise<string | undefined> {
    const taken = await this.ask(() => this.redis.takeCeremony(PREFIX + session, label, kind));
    return taken ?? undefined;
  }

  async ping(): Promise<void> {
    await this.ask(() => this.redis.ping());
  }

  async close(): Promise<void> {
    this.closed = true;
    this.redis.disconnect();
  }

  private async ask<T>(command: () => Promise<T>): Promise<T> {
    try {
      return await command();
    } catch (error) {
      throw new ApiError('E0052R', undefined, { headers: { 'Retry-After': '1' }, cause: error });
    }
  }
}
