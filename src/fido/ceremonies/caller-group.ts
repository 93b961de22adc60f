/** An element of the heap; its owner calls `changed` after changing `bytes`. */
interface Sized {
  bytes: number;
  /** Of two elements of the same size, the one with the lower number comes first. */
  readonly order: number;
  /** Index in the heap, which only `GreatestFirst` sets. */
  index: number;
}

/**
 * Finds the largest of many elements whose sizes change constantly: a binary heap, in which a change takes
 * logarithmic time.
 */
class GreatestFirst<T extends Sized> {
  private readonly members: T[] = [];

  get greatest(): T | undefined {
    return this.members[0];
  }

  add(member: T): void {
    this.rise(member, this.members.length);
  }

  remove(member: T): void {
    const last = this.members.pop();
    if (last === undefined || last === member) return;
    this.set(last, member.index);
    this.changed(last);
  }

  /** Must be called after the size of an element has changed. */
  changed(member: T): void {
    this.rise(member, member.index);
    this.sink(member);
  }

  private rise(member: T, from: number): void {
    let index = from;
    while (index > 0) {
      const above = this.members[(index - 1) >> 1];
      if (!above || !isBefore(member, above)) break;
      this.set(above, index);
      index = (index - 1) >> 1;
    }
    this.set(member, index);
  }

  private sink(member: T): void {
    for (;;) {
      const left = 2 * member.index + 1;
      const right = 2 * member.index + 2;
      const one = this.members[left];
      const other = this.members[right];
      const greater = other && one && isBefore(other, one) ? other : one;
      if (!greater || !isBefore(greater, member)) return;
      const { index } = greater;
      this.set(greater, member.index);
      this.set(member, index);
    }
  }

  private set(member: T, index: number): void {
    this.members[index] = member;
    member.index = index;
  }
}

const isBefore = (one: Sized, other: Sized): boolean =>
  one.bytes === other.bytes ? one.order < other.order : one.bytes > other.bytes;

export interface PendingSession {
  readonly name: string;
  caller: CallerGroup;
  queue: SessionQueue;
  /** Oldest first. */
  entries: readonly number[];
  staleAt: number;
  older: PendingSession | undefined;
  newer: PendingSession | undefined;
}

/**
 * Sessions with the same lifetime, in the order in which they were last prolonged. (A Map would be a slow
 * queue: to find its first entry, it steps over all deleted ones.)
 */
export class SessionQueue {
  oldest: PendingSession | undefined;
  private newest: PendingSession | undefined;

  constructor(readonly lifeMs: number) {}

  /** Adds a session, or moves it to the end. */
  add(session: PendingSession): void {
    if (session === this.newest) return;
    if (session.older || session === this.oldest) this.remove(session);
    session.older = this.newest;
    if (this.newest) this.newest.newer = session;
    this.newest = session;
    this.oldest ??= session;
  }

  remove(session: PendingSession): void {
    const { older, newer } = session;
    if (older) older.newer = newer;
    else this.oldest = newer;
    if (newer) newer.older = older;
    else this.newest = older;
    // Otherwise a session that is not collected yet would keep all later ones alive.
    session.older = session.newer = undefined;
  }
}

/** Bytes of a group without its sessions and members, garbage included. */
const GROUP_BYTES = 384;

let groups = 0;

/**
 * A group of callers, or a single caller, which has sessions instead of members. Its bytes include its members'
 * bytes, so that the largest member of the largest group can be found without looking at others.
 */
export class CallerGroup implements Sized {
  bytes = 0;
  index = 0;
  readonly order = (groups += 1);
  /** One queue for each lifetime, of which there are few. */
  readonly queues: SessionQueue[] = [];
  private byName: Map<string, CallerGroup> | undefined;
  private bySize: GreatestFirst<CallerGroup> | undefined;

  constructor(
    private readonly name: string,
    private readonly parent?: CallerGroup,
  ) {}

  /** Returns the member with this name and adds it if it is missing. */
  member(name: string): CallerGroup {
    const known = this.byName?.get(name);
    if (known) return known;
    // A copy: a name that is a slice of a long header would keep the header in memory.
    const member = new CallerGroup(Buffer.from(name).toString(), this);
    this.byName ??= new Map();
    this.bySize ??= new GreatestFirst();
    this.byName.set(member.name, member);
    this.bySize.add(member);
    member.grow(GROUP_BYTES);
    return member;
  }

  /** Changes the bytes of this group and of all groups around it. */
  grow(by: number): void {
    this.bytes += by;
    this.parent?.bySize?.changed(this);
    this.parent?.grow(by);
  }

  /** Removes the group if it is empty, and likewise the groups around it. */
  leaveIfEmpty(): void {
    if (!this.parent || this.greatest || this.queues.some(({ oldest }) => oldest)) return;
    this.grow(-GROUP_BYTES);
    this.parent.byName?.delete(this.name);
    this.parent.bySize?.remove(this);
    this.parent.leaveIfEmpty();
  }

  /** The member with the most bytes. */
  get greatest(): CallerGroup | undefined {
    return this.bySize?.greatest;
  }

  get members(): Iterable<CallerGroup> {
    return this.byName?.values() ?? [];
  }
}
