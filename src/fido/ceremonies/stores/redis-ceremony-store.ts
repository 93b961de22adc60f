import type { Redis } from 'ioredis';
import type { RedisLink } from '../../../platform/database/redis-link.js';
import { PendingSessions, type SessionBounds } from '../pending-sessions.js';
import {
  CLOCK_SKEW_MS,
  CeremonyStore,
  MAX_PER_SESSION,
  type CallerSession,
  type EntryLimits,
} from './ceremony-store.js';

const PREFIX = 'servicefido:';
/** A name that no session has. The entry of a check expires. */
const PROBE = 'probe';
/** How much longer a key lives than the last of its entries, each of which states its own end. */
const GRACE_MS = CLOCK_SKEW_MS + 1000;
/** Sizes are compared in these units, so that a long name does not make a caller count as larger. */
const UNIT_BYTES = 512;

/**
 * KEYS[1] session; ARGV[1] entry, ARGV[2] maximum number of entries, ARGV[3] lifetime in ms, ARGV[4] maximum of its
 * kind, or 0. Returns the length of the entry of its kind that it replaces, else 0. Prolongs the session's lifetime,
 * but never shortens it.
 */
const PUT = `
local replaced = 0
if ARGV[4] ~= '0' then
  local alike = {}
  for _, entry in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do
    if string.sub(entry, 1, 1) == string.sub(ARGV[1], 1, 1) then table.insert(alike, entry) end
  end
  if #alike >= tonumber(ARGV[4]) then
    redis.call('LREM', KEYS[1], 1, alike[1])
    replaced = #alike[1]
  end
end
redis.call('RPUSH', KEYS[1], ARGV[1])
redis.call('LTRIM', KEYS[1], -ARGV[2], -1)
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[3]) then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
return replaced`;

/** KEYS[1] session; ARGV prefixes. One script with one key is atomic, on a cluster too. */
const TAKE = `
local entries = redis.call('LRANGE', KEYS[1], 0, -1)
for i = #entries, 1, -1 do
  for _, prefix in ipairs(ARGV) do
    if string.sub(entries[i], 1, #prefix) == prefix then
      redis.call('LREM', KEYS[1], -1, entries[i])
      return entries[i]
    end
  end
end
return false`;

interface CeremonyRedis extends Redis {
  putCeremony(key: string, entry: string, ...bounds: [number, number, number]): Promise<number>;
  takeCeremony(key: string, ...prefixes: string[]): Promise<string | null>;
}

interface RedisBounds extends SessionBounds {
  /** Part of this store's keys in Redis, which separates it from other stores. */
  readonly name: string;
}

/**
 * Pending ceremonies in Redis or Valkey, for several instances. Keys contain the server's run ID: a replica
 * that takes over may contain ceremonies that were taken already, which are then out of reach (E0024R).
 *
 * Each instance counts the bytes that it has stored, and pushes out sessions of the largest group of callers.
 * Redis alone would evict the keys that expire soonest, which never belong to the flood.
 */
export class RedisCeremonyStore extends CeremonyStore {
  readonly toleranceMs = CLOCK_SKEW_MS;
  private readonly sessions: PendingSessions;
  private pushedOut: string[] = [];

  constructor(
    private readonly link: RedisLink,
    private readonly bounds: RedisBounds,
  ) {
    super();
    // Only the size of an entry is known, so it serves as the entry's number.
    this.sessions = new PendingSessions(bounds, {
      sizeOf: (bytes) => Math.ceil(bytes / UNIT_BYTES) * UNIT_BYTES,
      pushOut: (name) => this.pushedOut.push(name),
    });
    link.client.defineCommand('putCeremony', { lua: PUT, numberOfKeys: 1 });
    link.client.defineCommand('takeCeremony', { lua: TAKE, numberOfKeys: 1 });
  }

  private get redis(): CeremonyRedis {
    return this.link.client as CeremonyRedis;
  }

  async put(session: CallerSession, entry: string, wait?: EntryLimits): Promise<void> {
    const { lifeMs = this.bounds.lifeMs, most = 0 } = wait ?? {};
    this.sessions.add(session, Buffer.byteLength(entry), lifeMs);
    const { pushedOut } = this;
    this.pushedOut = [];
    const bounds = [MAX_PER_SESSION, lifeMs + GRACE_MS, most] as const;
    const replaced = await this.link.ask(async (runId) => {
      const put = this.redis.putCeremony(this.keyOf(runId, session.id), entry, ...bounds);
      if (pushedOut.length === 0) return put;
      const keys = pushedOut.map((name) => this.keyOf(runId, name));
      await Promise.all([put, ...keys.map((key) => this.redis.unlink(key))]);
      return put;
    });
    if (replaced > 0) this.sessions.taken(session.id, replaced);
  }

  async take(session: string, ...prefixes: string[]): Promise<string | undefined> {
    const taken = await this.link.ask((runId) =>
      this.redis.takeCeremony(this.keyOf(runId, session), ...prefixes),
    );
    if (taken === null) return undefined;
    this.sessions.taken(session, Buffer.byteLength(taken));
    return taken;
  }

  entriesOf(session: string): Promise<readonly string[]> {
    return this.link.ask((runId) => this.redis.lrange(this.keyOf(runId, session), 0, -1));
  }

  /** Stores an entry as a begin call does: a Redis that is full or read-only answers PING, too. */
  async ping(): Promise<void> {
    await this.link.ask((runId) =>
      this.redis.putCeremony(this.keyOf(runId, PROBE), '', 1, GRACE_MS, 0),
    );
  }

  private keyOf(runId: string, session: string): string {
    return `${PREFIX}${this.bounds.name}:${runId}:${session}`;
  }
}
