import type { Clock } from '../config/clock.js';
import { CeremonyStore, MAX_PER_SESSION } from './ceremony-store.js';

/** Most entries kept, about 210 MiB of heap; beyond it the session that waited longest goes. */
export const MAX_ENTRIES = 250_000;

interface Session {
  entries: string[];
  staleAt: number;
}

/**
 * Pending ceremonies in this process, for a single instance. Entries are kept as one short string
 * each, which costs a third of an object.
 */
export class MemoryCeremonyStore extends CeremonyStore {
  /** In the order of their last begin call, so that stale ones stand in front. */
  private readonly sessions = new Map<string, Session>();
  private size = 0;

  constructor(
    private readonly clock: Clock,
    private readonly lifeMs: number,
    private readonly maxEntries = MAX_ENTRIES,
  ) {
    super();
  }

  async put(session: string, entry: string): Promise<void> {
    const entries = this.sessions.get(session)?.entries ?? [];
    this.sessions.delete(session);
    entries.push(entry);
    this.size += 1;
    if (entries.length > MAX_PER_SESSION) {
      entries.shift();
      this.size -= 1;
    }
    this.sessions.set(session, { entries, staleAt: this.clock.now() + this.lifeMs });
    this.sweep();
  }

  async take(session: string, label: string, kind: string): Promise<string | undefined> {
    const entries = this.sessions.get(session)?.entries;
    if (!entries) return undefined;
    const named = entries.findIndex((entry) => entry.startsWith(label));
    const index = named === -1 ? entries.findLastIndex((entry) => entry.startsWith(kind)) : named;
    if (index === -1) return undefined;
    const [taken] = entries.splice(index, 1);
    this.size -= 1;
    if (entries.length === 0) this.sessions.delete(session);
    return taken;
  }

  async ping(): Promise<void> {}

  async close(): Promise<void> {
    this.sessions.clear();
    this.size = 0;
  }

  private sweep(): void {
    const now = this.clock.now();
    for (const [name, { entries, staleAt }] of this.sessions) {
      if (staleAt > now && this.size <= this.maxEntries) return;
      this.sessions.delete(name);
      this.size -= entries.length;
    }
  }
}
