import type { Logger } from 'typeorm';

/** Thrown instead of executing a statement of a killed process. */
export class Killed extends Error {}

/** A statement that changes tables or rows. */
export interface ChangingStatement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

const CHANGE = /^\s*(?:CREATE|ALTER|DROP|INSERT|UPDATE|DELETE|REPLACE|RENAME|TRUNCATE)\b/i;
const DDL = /^\s*(?:CREATE|ALTER|DROP|RENAME|TRUNCATE)\b/i;
const COMMIT = /^\s*COMMIT\b/i;
/** The record of a migration, which the next COMMIT stores. */
export const RECORD = /^INSERT INTO (?:`\w+`\.)?["`]migrations["`]/;

/**
 * TypeORM calls its logger before each statement: this one collects the statements that change something,
 * and can kill the process behind one of them.
 */
export class StatementWatch implements Logger {
  readonly changes: ChangingStatement[] = [];
  /** Whether a change is stored that no rollback undoes. */
  hasStored = false;
  isDead = false;
  private executed = 0;

  /**
   * @param limits after how many changes and commits the process dies (records of migrations do not count), and whether a DDL statement commits
   *   itself
   */
  constructor(private readonly limits: { readonly most: number; readonly ddlCommits: boolean }) {}

  logQuery(sql: string, parameters: readonly unknown[] = []): void {
    const isChange = CHANGE.test(sql);
    const isCommit = COMMIT.test(sql);
    const isStep = isCommit || (isChange && !RECORD.test(sql));
    if ((isChange || isCommit) && this.executed === this.limits.most) this.isDead = true;
    if (this.isDead) throw new Killed();
    if (isStep) this.executed += 1;
    if (isCommit || (this.limits.ddlCommits && DDL.test(sql))) this.hasStored = true;
    if (isChange) this.changes.push({ sql, parameters });
  }

  logQueryError(): void {}
  logQuerySlow(): void {}
  logSchemaBuild(): void {}
  logMigration(): void {}
  log(): void {}
}
