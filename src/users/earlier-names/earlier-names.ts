import { Injectable } from '@nestjs/common';
import type { Step } from '../../platform/database/commit/unit.js';
import { Database } from '../../platform/database/database.js';
import type { Query } from '../../platform/database/database.js';
import { scopeParams } from '../../platform/database/scope.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { ignoresCase } from '../../tenancy/usernames/name-key.js';
import { foldedName } from '../../platform/validation/values/folded-name.js';
import { normalizeName } from '../../platform/validation/values/names.js';
import type { FoundUser } from '../user-rows.js';
import {
  EARLIER_NAMES_OF_USER,
  KEEP_EARLIER_NAME,
  KEEP_EARLIER_NAME_IF_FREE,
  ONCE_CALLED,
} from './earlier-name.statements.js';

/** A name and the time in which a user had it, in milliseconds since 1970. */
export interface HeldName {
  readonly relyingParty: RelyingParty;
  readonly username: string;
  readonly from: number;
  /** `undefined` where the user still has it. */
  readonly until?: number;
}

/** A user who had a name before. */
export interface OnceCalled {
  readonly userId: Buffer;
  /** The user's name today. */
  readonly username: string;
  readonly until: number;
}

interface Row {
  readonly username: Buffer;
  readonly until: number;
}

/** Most earlier names of a user, and earlier users of a name, that are read: nobody has that many. */
const MOST = 20;

const bytesOf = (name: string): Buffer => Buffer.from(name, 'utf8');

/**
 * The step that keeps a user's old name, for the unit that gives the user another one.
 *
 * @param free a relying party where nobody may have the new name, or the step fails
 */
export function keepEarlierName(
  { id, username, relyingParty }: Pick<FoundUser, 'id' | 'username' | 'relyingParty'>,
  until: number,
  free?: { readonly rp: RelyingParty; readonly name: string },
): Step {
  const params = [...scopeParams(relyingParty), bytesOf(username), until, id];
  if (!free) return { sql: KEEP_EARLIER_NAME, params };
  const { rp, name } = free;
  // No user has an empty name.
  const folded = bytesOf(ignoresCase(rp) ? foldedName(name) : '');
  const unless = [id, rp.id, bytesOf(name), rp.id, folded];
  return { sql: KEEP_EARLIER_NAME_IF_FREE, params: [...params, ...unless], guard: true };
}

/**
 * Names that users had before. Events stand under the name that the user had at the time: whoever looks for
 * a user's events asks for each name in the time in which this user had it, and so meets no other user's.
 */
@Injectable()
export class EarlierNames {
  private readonly ofUser: Query<Row>;
  private readonly ofName: Query<Row & { readonly userId: Buffer }>;

  constructor(database: Database) {
    this.ofUser = database.query(EARLIER_NAMES_OF_USER);
    this.ofName = database.query(ONCE_CALLED);
  }

  /** Users who had a name before; who gave it up last comes first. */
  async onceCalled(rp: RelyingParty, name: string): Promise<OnceCalled[]> {
    const rows = await this.ofName.all(...scopeParams(rp), bytesOf(normalizeName(name)), MOST);
    return rows.map(({ userId, until, username }) => ({
      userId,
      until: Number(until),
      username: username.toString('utf8'),
    }));
  }

  /** When the user got today's name, in milliseconds since 1970. */
  async heldSince({ id, createdAt, relyingParty }: FoundUser): Promise<number> {
    const [last] = await this.ofUser.all(...scopeParams(relyingParty), id, 1);
    return Number(last?.until ?? createdAt);
  }

  /**
   * All names of a user, today's first. Today's counts from when somebody last gave it up: what happened
   * under it before was another user's.
   */
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
