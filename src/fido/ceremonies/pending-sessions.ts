import type { Clock } from '../../platform/common/clock.js';
import { CallerGroup, SessionQueue, type PendingSession } from './caller-group.js';
import { MAX_PER_SESSION, type CallerSession } from './stores/ceremony-store.js';

/** Bytes of a session without its entries, garbage included. */
const SESSION_BYTES = 512;
const SWEEP_MS = 1000;

/** The owner of the entries; entries are only numbers here. */
interface Owner {
  /** Bytes of memory that the entry takes. */
  sizeOf(entry: number): number;
  /** Called for an entry that is removed without being taken: too old, replaced or pushed out. */
  drop?(entry: number): void;
  /** Called for a session that is removed to make room. */
  pushOut?(id: string): void;
}

export interface SessionBounds {
  readonly clock: Clock;
  /** Lifetime of a session after a begin call, unless the call sets its own. */
  readonly lifeMs: number;
  /** Upper limit for the bytes of all entries together, bookkeeping included. */
  readonly maxBytes: number;
}

/**
 * The sessions with pending ceremonies, limited in bytes. If there is no room, the largest group of callers loses its
 * longest-waiting session, taken from its largest member, and so on down. So a flood pushes out only its own
 * sessions. The cost of a step hardly depends on the number of sessions.
 */
export class PendingSessions {
  private readonly sessions = new Map<string, PendingSession>();
  private readonly all = new CallerGroup('');
  private nextSweep = 0;

  constructor(
    private readonly bounds: SessionBounds,
    private readonly owner: Owner,
  ) {}

  /** Adds an entry; the ninth of a session replaces its first. */
  add({ id, callers }: CallerSession, entry: number, lifeMs = this.bounds.lifeMs): void {
    const caller = callers.reduce((group, name) => group.member(name), this.all);
    const session = this.sessions.get(id) ?? this.open(id, caller, lifeMs);
    if (session.caller !== caller) this.reassign(session, caller);
    this.prolong(session, lifeMs);
    const replaced = session.entries.slice(
      0,
      Math.max(0, session.entries.length + 1 - MAX_PER_SESSION),
    );
    // A new array of exact size: `push` would reserve room for sixteen more.
    session.entries = [...session.entries.slice(replaced.length), entry];
    caller.grow(this.owner.sizeOf(entry));
    for (const old of replaced) this.drop(session, old);
    this.sweep();
    this.makeRoom();
  }

  entriesOf(id: string): readonly number[] {
    return this.sessions.get(id)?.entries ?? [];
  }

  /** Must be called when an entry was taken; ignores an unknown entry, which has been removed already. */
  taken(id: string, entry: number): void {
    const session = this.sessions.get(id);
    const index = session?.entries.indexOf(entry) ?? -1;
    if (!session || index === -1) return;
    session.entries = session.entries.toSpliced(index, 1);
    session.caller.grow(-this.owner.sizeOf(entry));
    if (session.entries.length === 0) this.forget(session);
  }

  private open(id: string, caller: CallerGroup, lifeMs: number): PendingSession {
    // A copy: an ID that is a slice of a long header would keep the header in memory.
    const name = Buffer.from(id).toString();
    const queue = queueOf(caller, lifeMs);
    const neighbours = { older: undefined, newer: undefined };
    const session = { name, caller, queue, entries: [], staleAt: 0, ...neighbours };
    this.sessions.set(name, session);
    queue.add(session);
    caller.grow(SESSION_BYTES);
    return session;
  }

  /** Counts the session for its last caller: the first one may have passed its cookie on. */
  private reassign(session: PendingSession, caller: CallerGroup): void {
    const { caller: previous, queue, entries } = session;
    const bytes = entries.reduce((sum, entry) => sum + this.owner.sizeOf(entry), SESSION_BYTES);
    queue.remove(session);
    previous.grow(-bytes);
    previous.leaveIfEmpty();
    session.caller = caller;
    session.queue = queueOf(caller, queue.lifeMs);
    session.queue.add(session);
    caller.grow(bytes);
  }

  private drop(session: PendingSession, entry: number): void {
    session.caller.grow(-this.owner.sizeOf(entry));
    this.owner.drop?.(entry);
  }

  private forget(session: PendingSession): void {
    const { name, caller, entries } = session;
    for (const entry of entries) this.drop(session, entry);
    this.sessions.delete(name);
    session.queue.remove(session);
    caller.grow(-SESSION_BYTES);
    caller.leaveIfEmpty();
  }

  /** Removes the expired sessions, which are at the front of each caller's queues. */
  private sweep(): void {
    const now = this.bounds.clock.now();
    if (now < this.nextSweep) return;
    this.nextSweep = now + SWEEP_MS;
    this.forgetStale(this.all, now);
  }

  private forgetStale(group: CallerGroup, now: number): void {
    for (const member of group.members) this.forgetStale(member, now);
    for (const queue of group.queues) {
      while (queue.oldest && queue.oldest.staleAt <= now) this.forget(queue.oldest);
    }
  }

  private makeRoom(): void {
    while (this.all.bytes > this.bounds.maxBytes) {
      let greatest = this.all;
      while (greatest.greatest) greatest = greatest.greatest;
      this.pushOut(greatest);
    }
  }

  /** Removes the caller's longest-waiting session, whatever its lifetime. */
  private pushOut({ queues }: CallerGroup): void {
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

  /** Prolongs the session; a shorter lifetime does not shorten it for its other entries. */
  private prolong(session: PendingSession, lifeMs: number): void {
    const staleAt = this.bounds.clock.now() + lifeMs;
    if (staleAt < session.staleAt) return;
    session.staleAt = staleAt;
    if (session.queue.lifeMs !== lifeMs) {
      session.queue.remove(session);
      session.queue = queueOf(session.caller, lifeMs);
    }
    session.queue.add(session);
  }
}

const begunAt = ({ staleAt, queue }: PendingSession) => staleAt - queue.lifeMs;

function queueOf({ queues }: CallerGroup, lifeMs: number): SessionQueue {
  const known = queues.find((queue) => queue.lifeMs === lifeMs);
  if (known) return known;
  const queue = new SessionQueue(lifeMs);
  queues.push(queue);
  return queue;
}
