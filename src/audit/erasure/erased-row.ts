import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import type { AuditAction } from '../actions.js';
import type { AuditDetail, AuditRow } from '../audit-row.js';
import { hashOfRow } from '../chain.js';

/** The action of rows that tell which rows were erased; their target is the pseudonym. */
export const ERASURE = 'audit.erase' satisfies AuditAction;

/** The row of an erasure names, in its detail, what the rows that it erased came to. */
const DIGEST = 'digest';
const digestOf = (eraser: number) => `${DIGEST} ${eraser}`;

/** What an erased row says from now on, as a text of fixed length. */
const contentOf = (row: AuditRow): Buffer => hashOfRow({ ...row, salt: null });

/** SHA-256 over the content of erased rows in their order; of none it is that of nothing. */
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
 * What the row of an erasure says.
 *
 * @param changed digests of earlier erasures, by the number of their row, that this one has taken rows from
 */
export const erasureDetail = (
  rows: number,
  content: ErasedContent,
  changed: ReadonlyMap<number, string>,
): AuditDetail => ({
  rows,
  [DIGEST]: content.digest(),
  ...Object.fromEntries([...changed].map(([eraser, digest]) => [digestOf(eraser), digest])),
});

/** What the row of an erasure says each erasure came to: its own, and those it took rows from. */
export function attestedBy({ seq, detail }: AuditRow): ReadonlyMap<number, string> {
  const said = Object.entries(JSON.parse(detail) as Record<string, unknown>);
  return new Map(
    said.flatMap(([name, digest]) => {
      const [word, eraser = seq] = name.split(' ');
      return word === DIGEST ? [[Number(eraser), String(digest)] as const] : [];
    }),
  );
}
