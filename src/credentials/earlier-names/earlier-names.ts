import { Injectable } from '@nestjs/common';
import type { Step } from '../../database/commit/unit.js';
import { Database } from '../../database/database.js';
import type { Query } from '../../database/database.js';
import { scopeParams } from '../../database/scope.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { normalizeName } from '../../validation/names.js';
import type { FoundUser } from '../user-rows.js';
import {
  EARLIER_NAMES_OF_USER,
  KEEP_EARLIER_NAME,
  ONCE_CALLED,
} from './earlier-name.statements.js';

/** A name and when somebody had it: times in milliseconds since 1970. */
export interface HeldName {
  readonly relyingParty: RelyingParty;
  readonly username: string;
  readonly from: number;
  /** `undefined` where it is the name of today. */
  readonly until?: number;
}

/** Somebody who had a name before. */
export interface OnceCalled {
  readonly userId: Buffer;
  /** What the user is called now. */
  readonly username: string;
  readonly until: number;
}

interface Row {
  readonly username: Buffer;
  readonly until: number;
}

/** Of one user, and of one name: nobody is called otherwise so often. */
const MOST = 20;

const bytesOf = (name: string): Buffer => Buffer.from(name, 'utf8');

/** Goes into the unit that gives a user another name. */
export const keepEarlierName = (user: FoundUser, until: number): Step => ({
  sql: KEEP_EARLIER_NAME,
  params: [...scopeParams(user.relyingParty), bytesOf(user.username), until, user.id],
});

/**
 * What users were called before. Events stand under the name of their time, so that whoever looks for what
 * happened to a user asks for each name in the time in which the user had it, and for no other user's of it.
 */
@Injectable()
export class EarlierNames {
  private readonly ofUser: Query<Row>;
  private readonly ofName: Query<Row & { readonly userId: Buffer }>;

  constructor(database: Database) {
    this.ofUser = database.query(EARLIER_NAMES_OF_USER);
    this.ofName = database.query(ONCE_CALLED);
  }

  /** Who had a name before, the last first. */
  async onceCalled(rp: RelyingParty, name: string): Promise<OnceCalled[]> {
    const rows = await this.ofName.all(...scopeParams(rp), bytesOf(normalizeName(name)), MOST);
    return rows.map(({ userId, until, username }) => ({
      userId,
      until: Number(until),
      username: username.toString('utf8'),
    }));
  }

  /** Since when a user has had today's name. */
  async heldSince({ id, createdAt, relyingParty }: FoundUser): Promise<number> {
    const [last] = await this.ofUser.all(...scopeParams(relyingParty), id, 1);
    return Number(last?.until ?? createdAt);
  }

  /** All names of a user, today's first. What happened before another had today's name is that one's. */
  async heldBy({ id, username, createdAt, relyingParty }: FoundUser): Promise<HeldName[]> {
    const [rows, others] = await Promise.all([
      this.ofUser.all(...scopeParams(relyingParty), id, MOST),
      this.onceCalled(relyingParty, username),
    ]);
    const earlier = rows.map((row, n) => ({
      relyingParty,
      username: row.username.toString('utf8'),
      from: Number(rows[n + 1]?.until ?? createdAt),
      until: Number(row.until),
    }));
    return [{ relyingParty, username, from: others[0]?.until ?? 0 }, ...earlier];
  }
}
