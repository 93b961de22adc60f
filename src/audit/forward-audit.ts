import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import { CURSOR_BYTES, CursorCipher } from '../platform/database/secrets/cursor-cipher.js';
import { SecretStore } from '../platform/database/secrets/secret-store.js';
import { ApiError } from '../platform/errors/api-error.js';
import type { Account } from '../platform/access/accounts/account.js';
import { AuditReader, type ForwardAuditPage, type ForwardAuditQuery } from './audit-reader.js';
import { HASH_OF_ROW, ROWS_OF_ACTION } from './audit.statements.js';

const BEGINNING = '0';
const NUMBER_BYTES = 6;
const HASH_BYTES = 5;
/** No installation has more rows: no cursor contains a greater number. */
const MAX_NUMBER = 2 ** 32;
const NO_RESTORE = Buffer.alloc(HASH_BYTES);

/** A row that a program has read, and the newest restore before it: the beginnings of their hashes. */
interface AuditPosition {
  readonly seq: number;
  readonly hash: Buffer;
  readonly restore: Buffer;
}

/**
 * Reads the trail forward, for programs that follow it. A cursor replaces the number of a row.
 *
 * A restored backup assigns the numbers of lost rows again, but another row has another hash: a cursor contains the hash,
 * and is refused where the row of its number has another one.
 */
@Injectable()
export class ForwardAudit implements OnModuleInit {
  private cipher!: CursorCipher;

  constructor(
    private readonly secrets: SecretStore,
    private readonly database: Database,
    private readonly reader: AuditReader,
  ) {}

  async onModuleInit(): Promise<void> {
    this.cipher = await CursorCipher.open(this.secrets, 'audit-cursor');
  }

  /**
   * Returns the rows after a cursor that the account may see, oldest first.
   *
   * @returns `next`, always, for the following call; `more` if that call may find rows at once
   * @throws ApiError E0045R for a text that is neither 0 nor the `next` of an answer; `cursor.epoch` for one behind rows
   *   that a restore has undone, with the `next` to continue with
   */
  async after(
    account: Pick<Account, 'tenants'>,
    { after, ...page }: { readonly after: string } & Omit<ForwardAuditQuery, 'seq'>,
  ): Promise<Pick<ForwardAuditPage, 'rows' | 'more'> & { readonly next: string }> {
    const seq = await this.numberOf(after);
    const { rows, last, more } = await this.reader.after(account, { seq, ...page });
    return { rows, next: await this.cursorOf(last), more };
  }

  private async numberOf(cursor: string): Promise<number> {
    if (cursor === BEGINNING) return 0;
    const position = this.open(cursor);
    if (!position) throw new ApiError('E0045R', 'cursor.after');
    if (position.hash.equals(await this.hashOf(position.seq))) return position.seq;
    const next = await this.cursorOf(await this.lastCommon(position));
    throw new ApiError('E0045R', 'cursor.epoch', {}, { body: { next } });
  }

  /** The last row that this trail shares with the lost one: the row before the restore that followed. */
  private async lastCommon({ restore }: AuditPosition): Promise<number> {
    const restores = await this.restores();
    const known = restores.findIndex(({ hash }) => restore.equals(hash));
    const next = restores[known + 1];
    return next ? next.seq - 1 : 0;
  }

  private async cursorOf(seq: number): Promise<string> {
    if (seq === 0) return BEGINNING;
    const restore = (await this.restores()).findLast((row) => row.seq <= seq)?.hash ?? NO_RESTORE;
    const block = Buffer.alloc(CURSOR_BYTES);
    block.writeUIntBE(seq, 0, NUMBER_BYTES);
    (await this.hashOf(seq)).copy(block, NUMBER_BYTES);
    restore.copy(block, NUMBER_BYTES + HASH_BYTES);
    return this.cipher.encrypt(block);
  }

  private open(cursor: string): AuditPosition | undefined {
    const block = this.cipher.decrypt(cursor);
    if (!block) return undefined;
    const seq = block.readUIntBE(0, NUMBER_BYTES);
    if (seq >= MAX_NUMBER) return undefined;
    return {
      seq,
      hash: block.subarray(NUMBER_BYTES, NUMBER_BYTES + HASH_BYTES),
      restore: block.subarray(NUMBER_BYTES + HASH_BYTES),
    };
  }

  private async hashOf(seq: number): Promise<Buffer> {
    const [row] = await this.database.query(HASH_OF_ROW, { seq });
    return row ? row.hash.subarray(0, HASH_BYTES) : Buffer.alloc(0);
  }

  private async restores() {
    const rows = await this.database.query(ROWS_OF_ACTION, { action: 'database.restore' });
    return rows.map(({ seq, hash }) => ({ seq, hash: hash.subarray(0, HASH_BYTES) }));
  }
}
