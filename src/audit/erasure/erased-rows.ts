import { createHash, type Hash } from 'node:crypto';
import type { AuditDetail } from '../audit-entry.js';
import type { AuditRow } from '../audit-row.entity.js';
import { phrase, type Phrase } from '../../platform/pages/languages/phrase.js';
import { ERASURE_ACTION, hashOfRow } from '../chain/chain.js';
import { mentionsUser, withoutUser, type ErasedUser } from './user-in-row.js';

/** Members of the detail of an erasure's row: `digest` covers its own rows, `digest 12` the rows of row 12. */
const DIGEST = 'digest';
const digestMember = (eraser: number) => `${DIGEST} ${eraser}`;

const contentOf = (row: AuditRow): Buffer => hashOfRow({ ...row, salt: null });

/** SHA-256 over the content of erased rows in order; without any, over an empty text. */
export class ErasedContent {
  private readonly hash: Hash = createHash('sha256');

  add(row: AuditRow): this {
    this.hash.update(contentOf(row));
    return this;
  }

  digest(): string {
    return this.hash.copy().digest('hex');
  }
}

const NOTHING_ERASED = new ErasedContent().digest();

/**
 * Returns the detail of an erasure's row.
 *
 * @param changed new digests of earlier erasures that lose rows to this one, by the number of their row
 */
export const erasureDetail = (
  rows: number,
  content: ErasedContent,
  changed: ReadonlyMap<number, string>,
): AuditDetail => ({
  rows,
  [DIGEST]: content.digest(),
  ...Object.fromEntries([...changed].map(([eraser, digest]) => [digestMember(eraser), digest])),
});

/** Reads the digests in an erasure's row, by erasing row: its own, and those of erasures that lost rows to it. */
function digestsInErasure({ seq, detail }: AuditRow): ReadonlyMap<number, string> {
  const entries = Object.entries(JSON.parse(detail) as Record<string, unknown>);
  return new Map(
    entries.flatMap(([name, digest]) => {
      const [word, eraser = seq] = name.split(' ');
      return word === DIGEST ? [[Number(eraser), String(digest)] as const] : [];
    }),
  );
}

/** The content of erased rows, by the number of the row that records their erasure. */
class ContentByEraser {
  private readonly contents = new Map<number, ErasedContent>();

  add(eraser: number, row: AuditRow): void {
    const content = this.contents.get(eraser) ?? new ErasedContent();
    this.contents.set(eraser, content.add(row));
  }

  digest(eraser: number): string {
    return this.contents.get(eraser)?.digest() ?? NOTHING_ERASED;
  }
}

/**
 * Compares erased rows with the chain's record of them, since they no longer match their own hashes. A later row can
 * correct an earlier one, so the result is known only when all rows were added.
 */
export class RecordedErasures {
  private readonly erased = new ContentByEraser();
  /** The first erased row, by the number of the row that erased it. */
  private readonly first = new Map<number, number>();
  /** Digests of the content of erased rows, by the erasing row, as recorded in the chain; the last one counts. */
  private readonly recorded = new Map<number, string>();
  /** The number of the last row that records an erasure. */
  last = 0;

  add(row: AuditRow): void {
    const { seq, erasedBy: eraser } = row;
    if (eraser !== null) {
      this.erased.add(eraser, row);
      if (!this.first.has(eraser)) this.first.set(eraser, seq);
    } else if (row.action === ERASURE_ACTION) {
      this.last = seq;
      for (const [by, digest] of digestsInErasure(row)) this.recorded.set(by, digest);
    }
  }

  /** Whether the rows that a row erased have the content that the chain records. */
  isRight(eraser: number): boolean {
    return this.erased.digest(eraser) === this.recorded.get(eraser);
  }

  /** The fault of the first row whose erasure does not match the chain. */
  fault(): Phrase | undefined {
    const erasers = new Set([...this.first.keys(), ...this.recorded.keys()]);
    const wrong = [...erasers].sort((a, b) => a - b).find((eraser) => !this.isRight(eraser));
    if (wrong === undefined) return undefined;
    const first = this.first.get(wrong);
    return first === undefined
      ? phrase('audit:faults.notErased', { by: wrong })
      : phrase('audit:faults.otherErased', { row: first, by: wrong });
  }
}

/** Checks all rows of the trail, in order: whether each has the content that its hash or its erasure attests. */
export class TrailCheck {
  private readonly erasures = new RecordedErasures();
  /** The numbers of the rows whose hash is not the one in the next row. */
  private readonly unlinked = new Set<number>();
  /** The last row; `undefined` if there is none. */
  last: AuditRow | undefined;

  add(row: AuditRow): void {
    const { last } = this;
    if (last && !row.previousHash.equals(last.hash)) this.unlinked.add(last.seq);
    this.last = row;
    const isForged = row.action === ERASURE_ACTION && row.erasedBy === null && !fitsItsHash(row);
    if (!isForged) this.erasures.add(row);
  }

  /** Whether the row was altered; requires that all rows were added. */
  isAltered(row: AuditRow): boolean {
    if (this.unlinked.has(row.seq)) return true;
    if (row.erasedBy === null) return !fitsItsHash(row);
    return !this.erasures.isRight(row.erasedBy);
  }
}

/** Collects the first rows that name a user, and what remains of earlier erasures without them. */
export class ErasurePart {
  readonly before: AuditRow[] = [];
  /** The same rows without the user. */
  readonly after: AuditRow[] = [];
  private readonly remaining = new ContentByEraser();
  /** The erasures that lose rows to this one. */
  private readonly reduced = new Set<number>();

  constructor(
    readonly user: ErasedUser,
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
