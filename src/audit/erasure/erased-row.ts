import { createHash, type Hash } from 'node:crypto';
import type { AuditAction } from '../actions.js';
import type { AuditDetail } from '../audit-entry.js';
import type { AuditRow } from '../audit-row.entity.js';
import { hashOfRow } from '../chain/chain.js';

/** The action of rows that record an erasure; their target is the pseudonym. */
export const ERASURE = 'audit.erase' satisfies AuditAction;

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

export const NOTHING_ERASED = new ErasedContent().digest();

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
export function digestsInErasure({ seq, detail }: AuditRow): ReadonlyMap<number, string> {
  const entries = Object.entries(JSON.parse(detail) as Record<string, unknown>);
  return new Map(
    entries.flatMap(([name, digest]) => {
      const [word, eraser = seq] = name.split(' ');
      return word === DIGEST ? [[Number(eraser), String(digest)] as const] : [];
    }),
  );
}
