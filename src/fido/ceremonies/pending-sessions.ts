import type { Clock } from '../../common/clock.js';
import { callerMarkOf } from './caller-mark.js';
import { MAX_PER_SESSION } from './ceremony-store.js';
import { GreatestFirst } from './greatest-first.js';
import type { Sized } from './greatest-first.js';

/** Bytes that a session and its caller take beside their entries, garbage included. */
const SESSION_BYTES = 512;
const CALLER_BYTES = 256;
const SWEEP_MS = 1000;
/** No caller holds more than this part of all bytes, so that a flood always leaves the rest to others. */
const CALLER_PART = 1 / 2;

/** Sessions with the same length of life, in the order in which they were last prolonged. */
interface Queue {
  readonly lifeMs: number;
  oldest: Session | undefined;
  newest: Session | undefined;
}

/** A caller who begins ceremonies, known by the mark in the names of sessions. */
interface Caller extends Sized {
  readonly mark: string;
  /** One queue for each length of life, of which there are few. */
  readonly queues: Queue[];
}

interface Session {
  readonly name: string;
  readonly caller: Caller;
  queue: Queue;
  /** Oldest first. */
  entries: readonly number[];
  staleAt: number;
  older: Session | undefined;
  newer: Session | undefined;
}

/** The owner of the entries, which are nothing but numbers here. */
interface Owner {
  /** Bytes of memory that the entry takes. */
  sizeOf(entry: number): number;
  /** Called for an entry that goes without being taken: too old, replaced or pushed out. */
  drop?(entry: number): void;
  /** Called for a session that is pushed out to make room. */
  pushOut?(name: string): void;
}

interface Bounds {
  readonly clock: Clock;
  /** Life of a session after a begin call, unless the call says otherwise. */
  readonly lifeMs: number;
  /** Most bytes of all entries together, with those that manage them. */
  readonly maxBytes: number;
}

/**
 * The sessions that have begun ceremonies, bounded in bytes: a caller has at most half of all, and where
 * there is no room the caller with the most loses the session that waited longest. So a flood from one
 * address pushes out only its own sessions. The cost of a step hardly depends on their number. (The insertion
 * order of a Map would be no good as a queue: finding the first entry steps over all that were deleted.)
 */
export class PendingSessions {
  private readonly sessions = new Map<string, Session>();
  private readonly callers = new Map<string, Caller>();
  private readonly bySize = new GreatestFirst<Caller>();
  private bytes = 0;
  private nextSweep = 0;

  constructor(
    private readonly bounds: Bounds,
    private readonly owner: Owner,
  ) {}

  /** Adds an entry; a session's ninth replaces its first. */
  add(name: string, entry: number, lifeMs = this.bounds.lifeMs): void {
    const session = this.sessions.get(name) ?? this.open(name, lifeMs);
    this.prolong(session, lifeMs);
    const replaced = session.entries.slice(
      0,
      Math.max(0, session.entries.length + 1 - MAX_PER_SESSION),
    );
    // Arrays of their exact size: one that is pushed to keeps room for sixteen more.
    session.entries = [...session.entries.slice(replaced.length), entry];
    this.grow(session.caller, this.owner.sizeOf(entry));
    for (const old of replaced) this.drop(session, old);
    this.sweep();
    this.makeRoom(session.caller);
  }

  /** The session's entries, oldest first. */
  entriesOf(name: string): readonly number[] {
    return this.sessions.get(name)?.entries ?? [];
  }

  /** To be called when an entry was taken; one that is unknown has gone already. */
  taken(name: string, entry: number): void {
    const session = this.sessions.get(name);
    const index = session?.entries.indexOf(entry) ?? -1;
    if (!session || index === -1) return;
    session.entries = session.entries.toSpliced(index, 1);
    this.grow(session.caller, -this.owner.sizeOf(entry));
    if (session.entries.length === 0) this.forget(session);
  }

  private open(name: string, lifeMs: number): Session {
    // A name can be part of a long header, which it would keep in memory.
    const own = Buffer.from(name).toString();
    const caller = this.callerOf(own);
    const queue = queueOf(caller, lifeMs);
    const neighbours = { older: undefined, newer: undefined };
    const session: Session = { name: own, caller, queue, entries: [], staleAt: 0, ...neighbours };
    this.sessions.set(own, session);
    this.enqueue(session);
    this.grow(caller, SESSION_BYTES);
    return session;
  }

  private callerOf(name: string): Caller {
    const mark = callerMarkOf(name);
    const known = this.callers.get(mark);
    if (known) return known;
    const caller: Caller = { mark, bytes: 0, place: 0, queues: [] };
    this.callers.set(mark, caller);
    this.bySize.add(caller);
    this.grow(caller, CALLER_BYTES);
    return caller;
  }

  private grow(caller: Caller, by: number): void {
    this.bytes += by;
    caller.bytes += by;
    this.bySize.changed(caller);
  }

  private drop(session: Session, entry: number): void {
    this.grow(session.caller, -this.owner.sizeOf(entry));
    this.owner.drop?.(entry);
  }

  private forget(session: Session): void {
    const { name, caller, entries } = session;
    for (const entry of entries) this.drop(session, entry);
    this.sessions.delete(name);
    this.dequeue(session);
    this.grow(caller, -SESSION_BYTES);
    if (caller.queues.some(({ oldest }) => oldest)) return;
    this.bytes -= CALLER_BYTES;
    this.callers.delete(caller.mark);
    this.bySize.remove(caller);
  }

  /** Forgets the sessions that are too old, which are at the front of each caller's queues. */
  private sweep(): void {
    const now = this.bounds.clock.now();
    if (now < this.nextSweep) return;
    this.nextSweep = now + SWEEP_MS;
    for (const { queues } of this.callers.values()) {
      for (const queue of queues) {
        while (queue.oldest && queue.oldest.staleAt <= now) this.forget(queue.oldest);
      }
    }
  }

  private makeRoom(caller: Caller): void {
    const { maxBytes } = this.bounds;
    while (caller.bytes > maxBytes * CALLER_PART) this.pushOut(caller);
    while (this.bytes > maxBytes && this.bySize.greatest) this.pushOut(this.bySize.greatest);
  }

  /** Pushes out the session that has waited longest, whatever its life. */
  private pushOut({ queues }: Caller): void {
    const heads = queues.flatMap(({ oldest }) => oldest ?? []);
    const [first, ...others] = heads;
    if (!first) throw new Error('A caller without sessions has no size.');
    const oldest = others.reduce(
      (one, other) => (begunAt(other) < begunAt(one) ? other : one),
      first,
    );
    this.owner.pushOut?.(oldest.name);
    this.forget(oldest);
  }

  /** Prolongs the session; a shorter life does not end what waits longer in it. */
  private prolong(session: Session, lifeMs: number): void {
    const staleAt = this.bounds.clock.now() + lifeMs;
    if (staleAt < session.staleAt) return;
    session.staleAt = staleAt;
    const queue = session.queue.lifeMs === lifeMs ? session.queue : queueOf(session.caller, lifeMs);
    if (queue.newest === session) return;
    this.dequeue(session);
    session.queue = queue;
    this.enqueue(session);
  }

  private enqueue(session: Session): void {
    const { queue } = session;
    session.older = queue.newest;
    session.newer = undefined;
    if (queue.newest) queue.newest.newer = session;
    queue.newest = session;
    queue.oldest ??= session;
  }

  private dequeue(session: Session): void {
    const { queue, older, newer } = session;
    if (older) older.newer = newer;
    else queue.oldest = newer;
    if (newer) newer.older = older;
    else queue.newest = older;
    // Otherwise a session that is not yet collected would keep those after it alive, one after the other.
    session.older = session.newer = undefined;
  }
}

const begunAt = ({ staleAt, queue }: Session) => staleAt - queue.lifeMs;

function queueOf({ queues }: Caller, lifeMs: number): Queue {
  const known = queues.find((queue) => queue.lifeMs === lifeMs);
  if (known) return known;
  const queue: Queue = { lifeMs, oldest: undefined, newest: undefined };
  queues.push(queue);
  return queue;
}
