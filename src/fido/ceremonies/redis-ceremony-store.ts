import type { Redis } from 'ioredis';
import type { RedisLink } from '../../database/redis-link.js';
import { CeremonyStore, MAX_PER_SESSION } from './ceremony-store.js';

const PREFIX = 'servicefido:ceremonies:';
/** Entries know their own end; the key only must not outlive the last of them by much. */
const GRACE_MS = 1000;

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

/**
 * Pending ceremonies in Redis or Valkey, for several instances.
 *
 * Keys carry the epoch of the server's data: a replica that takes over, or a file that is read back
 * after a restart, may hold ceremonies that were taken already. They are out of reach then, and with
 * them those that were pending: their people begin again (E0024R).
 */
export class RedisCeremonyStore extends CeremonyStore {
  constructor(
    private readonly link: RedisLink,
    private readonly lifeMs: number,
  ) {
    super();
    link.client.defineCommand('putCeremony', { lua: PUT, numberOfKeys: 1 });
    link.client.defineCommand('takeCeremony', { lua: TAKE, numberOfKeys: 1 });
  }

  private get redis(): CeremonyRedis {
    return this.link.client as CeremonyRedis;
  }

  async put(session: string, entry: string): Promise<void> {
    const life = this.lifeMs + GRACE_MS;
    await this.link.ask((epoch) =>
      this.redis.putCeremony(keyOf(epoch, session), entry, MAX_PER_SESSION, life),
    );
  }

  async take(session: string, label: string, kind: string): Promise<string | undefined> {
    const taken = await this.link.ask((epoch) =>
      this.redis.takeCeremony(keyOf(epoch, session), label, kind),
    );
    return taken ?? undefined;
  }

  ping(): Promise<void> {
    return this.link.ping();
  }

  /** The link is not the store's own. */
  async close(): Promise<void> {}
}

const keyOf = (epoch: string, session: string) => `${PREFIX}${epoch}:${session}`;
