import { PendingSessions, type SessionBounds } from '../pending-sessions.js';
import { CeremonyStore, type CallerSession, type EntryLimits } from './ceremony-store.js';
import { TextBlocks } from './text-blocks.js';

/**
 * Pending ceremonies in this process, for a single instance. The process grows by at most `maxBytes`, whatever
 * callers begin: entries are stored outside the heap, and the memory for bookkeeping is counted too.
 */
export class MemoryCeremonyStore extends CeremonyStore {
  /** One instance has one clock. */
  readonly toleranceMs = 0;
  private readonly texts = new TextBlocks();
  private readonly sessions: PendingSessions;

  constructor(bounds: SessionBounds) {
    super();
    this.sessions = new PendingSessions(bounds, {
      sizeOf: (entry) => this.texts.bytesOf(entry),
      drop: (entry) => this.texts.remove(entry),
    });
  }

  async put(session: CallerSession, entry: string, wait?: EntryLimits): Promise<void> {
    if (wait) this.makeRoom(session.id, entry.slice(0, 1), wait.most);
    this.sessions.add(session, this.texts.put(entry), wait?.lifeMs);
  }

  async take(name: string, ...prefixes: string[]): Promise<string | undefined> {
    const entries = this.sessions.entriesOf(name);
    const entry = entries.findLast((one) =>
      prefixes.some((prefix) => this.texts.startsWith(one, prefix)),
    );
    if (entry === undefined) return undefined;
    const text = this.texts.read(entry);
    this.remove(name, entry);
    return text;
  }

  private makeRoom(name: string, kind: string, most: number): void {
    const entries = this.sessions.entriesOf(name);
    const alike = entries.filter((entry) => this.texts.startsWith(entry, kind));
    const [oldest] = alike;
    if (oldest !== undefined && alike.length >= most) this.remove(name, oldest);
  }

  private remove(name: string, entry: number): void {
    this.sessions.taken(name, entry);
    this.texts.remove(entry);
  }

  async entriesOf(name: string): Promise<readonly string[]> {
    return this.sessions.entriesOf(name).map((entry) => this.texts.read(entry));
  }

  async ping(): Promise<void> {}
}
