import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { Query } from '../database/database.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { usersOf } from './user-rows.js';
import type { FoundUser, UserRow } from './user-rows.js';
import { USERS_OF_DISABLED } from './user.statements.js';

/** Where a search goes on: in this relying party, behind the credential of this row ID. */
export interface DisabledPosition {
  readonly domain: string;
  readonly after: Buffer;
}

export interface DisabledSpan {
  readonly limit: number;
  readonly from?: DisabledPosition | undefined;
  /** Milliseconds after which a page ends short, where few of them fit. */
  readonly budgetMs?: number;
}

export interface DisabledPage {
  readonly users: readonly FoundUser[];
  /** `undefined` where nothing more can match. */
  readonly next: DisabledPosition | undefined;
}

/** Whether a user is looked for. */
type Fits = (user: FoundUser) => boolean;

type Row = UserRow & { readonly disabledId: Buffer };

const START = Buffer.alloc(16);
const BUDGET_MS = 40;

/**
 * Finds users who have a disabled credential. They are few among many: so it goes along the index of
 * disabled credentials, and not through the names. Each user comes with the oldest of them.
 */
@Injectable()
export class DisabledSearch {
  private readonly users: Query<Row>;

  constructor(database: Database) {
    this.users = database.query(USERS_OF_DISABLED);
  }

  /** @param rps in the order of their domains */
  async page(
    rps: readonly RelyingParty[],
    fits: Fits,
    { limit, from, budgetMs = BUDGET_MS }: DisabledSpan,
  ): Promise<DisabledPage> {
    const deadline = performance.now() + budgetMs;
    const users: FoundUser[] = [];
    for (const rp of rps) {
      if (from && rp.domain < from.domain) continue;
      let after: Buffer | undefined = from?.domain === rp.domain ? from.after : START;
      while (after) {
        const step = await this.step(rp, after, limit - users.length);
        users.push(...step.users.filter(fits));
        after = step.last;
        if (after && (users.length >= limit || performance.now() >= deadline)) {
          return { users, next: { domain: rp.domain, after } };
        }
      }
    }
    return { users, next: undefined };
  }

  /** All that match, in pages; each is read when it is asked for. */
  async *pages(rps: readonly RelyingParty[], fits: Fits, limit: number) {
    let from: DisabledPosition | undefined;
    do {
      const { users, next }: DisabledPage = await this.page(rps, fits, { limit, from });
      if (users.length > 0) yield users;
      from = next;
    } while (from);
  }

  /** @returns `last` where there may be more behind it */
  private async step(rp: RelyingParty, after: Buffer, limit: number) {
    const rows = await this.users.all(rp.id, after, limit);
    const found = new Map(rows.map(({ disabledId }) => [disabledId.toString('hex'), disabledId]));
    // Who has two disabled credentials in here comes with all credentials twice.
    const once = new Map(rows.map((row) => [row.id?.toString('hex'), row]));
    const users = usersOf(rp, [...once.values()]);
    const last = [...found.keys()].sort().at(-1) ?? '';
    return {
      users: users.filter((user) => found.has(oldestDisabled(user))),
      last: found.size < limit ? undefined : found.get(last),
    };
  }
}

const oldestDisabled = ({ credentials }: FoundUser): string =>
  credentials
    .filter(({ enabled }) => !enabled)
    .map(({ id }) => id.toString('hex'))
    .sort()[0] ?? '';
