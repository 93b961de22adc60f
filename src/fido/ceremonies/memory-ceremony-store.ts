import type { Clock } from '../../common/clock.js';
import { CeremonyStore, MAX_PER_SESSION } from './ceremony-store.js';
import { callerMarkOf } from './caller-mark.js';

/** Most entries kept, about 230 MiB of heap; beyond it somebody has to go. */
export const MAX_ENTRIES = 250_000;

/** Who begins ceremonies: an address, as far as the sessions' names tell. */
interface Caller {
  /** Entries of all its sessions. */
  size: number;
  /** Its sessions, in the order of their last begin call. */
  readonly sessions: Set<string>;
}

interface Session {
  entries: string[];
  staleAt: number;
  readonly caller: Caller;
}

/**
 * Pending ceremonies in this process, for a single instance. Entries are kept as one short string
 * each, which costs a third of an object.
 *
 * When it is full, the caller with the most entries loses its oldest session: whoever floods the
 * store from one address pushes out nobody but himself.
 */
export class MemoryCeremonyStore extends CeremonyStore {
  /** In the order of their last begin call, so that stale ones stand in front. */
  private readonly sessions = new Map<string, Session>();
  private readonly callers = new Map<string, Caller>();
  /** The caller with the most entries, or nearly so. */
  private greatest: Caller = { size: 0, sessions: new Set() };
  private size = 0;

  constructor(
    private readonly clock: Clock,
    private readonly lifeMs: number,
    private readonly maxEntries = MAX_ENTRIES,
  ) {
    super();
  }

  async put(name: string, entry: string): Promise<void> {
    const known = this.sessions.get(name);
    const caller = known?.caller ?? this.callerOf(name);
    const entries = known?.entries ?? [];
    this.sessions.delete(name);
    caller.sessions.delete(name);
    entries.push(entry);
    this.grow(caller, 1);
    if (entries.length > MAX_PER_SESSION) {
      entries.shift();
      this.grow(caller, -1);
    }
    this.sessions.set(name, { entries, staleAt: this.clock.now() + this.lifeMs, caller });
    caller.sessions.add(name);
    if (caller.size >= this.greatest.size) this.greatest = caller;
    this.sweep();
  }

  async take(name: string, label: string, kind: string): Promise<string | undefined> {
    const session = this.sessions.get(name);
    if (!session) return undefined;
    const { entries, caller } = session;
    const named = entries.findIndex((entry) => entry.startsWith(label));
    const index = named === -1 ? entries.findLastIndex((entry) => entry.startsWith(kind)) : named;
    if (index === -1) return undefined;
    const [taken] = entries.splice(index, 1);
    this.grow(caller, -1);
    if (entries.length === 0) this.forget(name, session);
    return taken;
  }

  async ping(): Promise<void> {}

  async close(): Promise<void> {
    this.sessions.clear();
    this.callers.clear();
    this.size = 0;
  }

  private callerOf(name: string): Caller {
    const mark = callerMarkOf(name);
    let caller = this.callers.get(mark);
    if (!caller) this.callers.set(mark, (caller = { size: 0, sessions: new Set() }));
    return caller;
  }

  private grow(caller: Caller, by: number): void {
    caller.size += by;
    this.size += by;
  }

  private forget(name: string, { entries, caller }: Session): void {
    this.sessions.delete(name);
    caller.sessions.delete(name);
    this.grow(caller, -entries.length);
    if (caller.sessions.size === 0) this.callers.delete(callerMarkOf(name));
  }

  private sweep(): void {
    const now = this.clock.now();
    for (const [name, session] of this.sessions) {
      if (session.staleAt > now) break;
      this.forget(name, session);
    }
    while (this.size > this.maxEntries) {
      const [oldest = ''] = this.greatestCaller().sessions;
      const session = this.sessions.get(oldest);
      if (!session) return;
      this.forget(oldest, session);
    }
  }

  /** Looked for among all only when the one known has shrunk below the average. */
  private greatestCaller(): Caller {
    if (this.greatest.size < this.size / this.callers.size) {
      for (const caller of this.callers.values()) {
        if (caller.size > this.greatest.size) this.greatest = caller;
      }
    }
    return this.greatest;
  }
}
