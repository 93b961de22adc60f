import type { Clock } from '../../common/clock.js';
import { callerMarkOf } from './caller-mark.js';
import { MAX_PER_SESSION } from './ceremony-store.js';
import { GreatestFirst } from './greatest-first.js';
import type { Sized } from './greatest-first.js';

/** What a session and its caller cost the process beside their entries, garbage included. */
const SESSION_BYTES = 512;
const CALLER_BYTES = 256;
const SWEEP_MS = 1000;
/** No caller holds more than this part of all, so that a flood leaves the rest to others at once. */
const CALLER_PART = 1 / 2;

/** Sessions that live equally long, in the order of what last made them do so. */
interface Queue {
  readonly lifeMs: number;
  oldest: Session | undefined;
  newest: Session | undefined;
}

/** Who begins ceremonies: an address, as far as the sessions' names tell. */
interface Caller extends Sized {
  readonly mark: string;
  /** One for each life, of which there are few. */
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

/** What the entries are, their owner knows; here they are numbers. */
interface Owner {
  /** Bytes of memory that the entry takes. */
  sizeOf(entry: number): number;
  /** An entry is gone that nobody took: too old, replaced or pushed out. */
  drop?(entry: number): void;
  /** A session is pushed out, to make room. */
  pushOut?(name: string): void;
}

interface Bounds {
  readonly clock: Clock;
  /** So long after a begin call a session is forgotten, unless the call says otherwise. */
  readonly lifeMs: number;
  /** Of all entries together, with what it costs to know them. */
  readonly maxBytes: number;
}

/**
 * The sessions that have begun ceremonies, bounded in bytes: a caller has at most half of all, and
 * where there is no room the caller with the most loses the session that waited longest. So whoever
 * floods it from one address pushes out nobody but himself. Each step costs the same however many there
 * are. (A Map in the order of its insertions is no queue: it looks past all that left before.)
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

  /** An entry was taken; one that is not known has gone already. */
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

  /** Forgets what is too old: it stands in front of each caller's queues. */
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

  /** The session that waited longest, whatever its life. */
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

  /** A shorter life does not end what waits longer in the same session. */
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
    // Garbage that has lived long would keep whoever came after it, one after the other.
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
