import type { AuditRow } from '../audit-row.entity.js';
import { hashOfRow } from '../chain/chain.js';
import { ERASURE, ErasedContent, digestsInErasure } from './erased-row.js';
import { mentionsUser, withoutUser, type ErasedUser } from './user-in-row.js';

/** The content of erased rows, by the number of the row that records their erasure. */
class ContentByEraser {
  private readonly contents = new Map<number, ErasedContent>();

  add(eraser: number, row: AuditRow): void {
    const content = this.contents.get(eraser) ?? new ErasedContent();
    this.contents.set(eraser, content.add(row));
  }

  digest(eraser: number): string {
    return (this.contents.get(eraser) ?? new ErasedContent()).digest();
  }
}

/** Checks all rows of the trail, in order: whether each has the content that its hash or its erasure attests. */
export class TrailCheck {
  private readonly erased = new ContentByEraser();
  private readonly attested = new Map<number, string>();
  /** The numbers of the rows whose hash is not the one in the next row. */
  private readonly unlinked = new Set<number>();
  private newest: AuditRow | undefined;

  add(row: AuditRow): void {
    const { newest } = this;
    if (newest && !row.previousHash.equals(newest.hash)) this.unlinked.add(newest.seq);
    this.newest = row;
    if (row.erasedBy !== null) this.erased.add(row.erasedBy, row);
    else if (row.action === ERASURE && fitsItsHash(row)) {
      for (const [eraser, digest] of digestsInErasure(row)) this.attested.set(eraser, digest);
    }
  }

  /** The last row; `undefined` if there is none. */
  get last(): AuditRow | undefined {
    return this.newest;
  }

  /** Whether the row was altered; requires that all rows were added. */
  isAltered(row: AuditRow): boolean {
    if (this.unlinked.has(row.seq)) return true;
    if (row.erasedBy === null) return !fitsItsHash(row);
    return this.erased.digest(row.erasedBy) !== this.attested.get(row.erasedBy);
  }
}

/** Collects the first rows that name a user, and what remains of earlier erasures without them. */
export class ErasureBatch {
  readonly before: AuditRow[] = [];
  /** The same rows without the user. */
  readonly after: AuditRow[] = [];
  private readonly remaining = new ContentByEraser();
  /** The erasures that lose rows to this one. */
  private readonly reduced = new Set<number>();

  constructor(
    private readonly user: ErasedUser,
    private readonly maxRows: number,
  ) {}

  add(row: AuditRow): void {
    const isErased = this.before.length < this.maxRows && mentionsUser(row, this.user);
    if (isErased) {
      this.before.push(row);
      this.after.push(withoutUser(row, this.user));
    }
    if (row.erasedBy === null) return;
    if (isErased) this.reduced.add(row.erasedBy);
    else this.remaining.add(row.erasedBy, row);
  }

  /** The new digests of the erasures that lose rows to this one, by the number of their row. */
  changedDigests(): Map<number, string> {
    return new Map([...this.reduced].map((eraser) => [eraser, this.remaining.digest(eraser)]));
  }
}

const fitsItsHash = (row: AuditRow): boolean => hashOfRow(row).equals(row.hash);
