import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { Change } from '../../audit/differences.js';
import { RoundRobin } from '../../platform/common/turns/round-robin.js';
import { sha256 } from '../../platform/common/sha256.js';
import type { ShouldContinue } from '../../platform/database/commit/delete-in-units.js';
import { isUniqueViolation } from '../../platform/database/commit/unique-violation.js';
import { Database } from '../../platform/database/database.js';
import { LeasedJob } from '../../platform/database/jobs/leased-job.js';
import { scope, type ScopeOwner } from '../../platform/database/scope.js';
import { BEGINNING } from '../../platform/database/row-ids.js';
import { foldedName } from '../../platform/validation/values/folded-name.js';
import {
  FOLD_NAME,
  NAMES_AFTER,
  NOT_FOLDED,
  USERS_AFTER,
  type NameRow,
} from '../tenancy.statements.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { Account } from '../../platform/access/accounts/account.js';
import { may } from '../../platform/access/permissions.js';
import type { RelyingParty } from '../relying-party.js';
import type { RelyingPartyEntity } from '../relying-party.entity.js';
import { RelyingPartyCache } from '../scope/relying-party-cache.js';
import { ignoresCase } from './name-key.js';

/** Names per read, and per unit that folds: small enough that sign-ins continue. */
const NAMES_A_READ = 1000;
const NAMES_A_UNIT = 128;

/*
 * Every statement that stores a name also stores the folded one if the relying party's row requires it
 * (`folds_names`). A plain registration therefore needs no additional statement, and an instance that has not yet
 * noticed the change folds names too. The unique key decides between two users who register the same name.
 */

/**
 * Finds names that would belong to one user if case were ignored, in groups of two or more. Reads all names of
 * the relying party, twice if some seem to collide, and keeps eight bytes of each in memory.
 */
async function collisionsOf(database: Database, rp: ScopeOwner): Promise<string[][]> {
  const prints: BigUint64Array[] = [];
  for await (const names of namesOf(database, rp)) prints.push(BigUint64Array.from(names, printOf));
  const duplicates = repeated(prints);
  if (duplicates.size === 0) return [];
  const suspects: string[] = [];
  for await (const names of namesOf(database, rp)) {
    suspects.push(...names.filter((name) => duplicates.has(printOf(name))));
  }
  const groups = Map.groupBy(suspects, foldedName);
  return [...groups.values()].filter(({ length }) => length > 1);
}

/**
 * Folds all names of a relying party that are not folded yet, a unit at a time. This has no effect until the relying
 * party folds names; after an interruption, the next call continues.
 *
 * @returns `false` if two of them fold to the same name
 */
async function* foldNames(
  database: Database,
  rp: ScopeOwner,
): AsyncGenerator<undefined, boolean, void> {
  try {
    for (;;) {
      const users = await database.query(NOT_FOLDED, { ...scope(rp), limit: NAMES_A_UNIT });
      if (users.length === 0) return true;
      // If many are left, go through all names in order: to find the first names that are not folded, MariaDB
      // also scans the index entries of all that just were.
      if (users.length < NAMES_A_UNIT) await fold(database, rp, users);
      else yield* foldAlong(database, rp);
      yield;
    }
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}

async function* foldAlong(
  database: Database,
  rp: ScopeOwner,
): AsyncGenerator<undefined, void, void> {
  for (let last: Buffer | undefined = BEGINNING; last;) {
    const next = { ...scope(rp), after: last, limit: NAMES_A_UNIT };
    const users: (NameRow & { folded: Buffer | null })[] = await database.query(USERS_AFTER, next);
    await fold(
      database,
      rp,
      users.filter(({ folded }) => folded === null),
    );
    last = users.at(-1)?.username;
    yield;
  }
}

async function fold(database: Database, rp: ScopeOwner, users: readonly NameRow[]): Promise<void> {
  if (users.length === 0) return;
  const steps = users.map(({ id, username }) => {
    const folded = Buffer.from(foldedName(username.toString('utf8')), 'utf8');
    return FOLD_NAME.step({ ...scope(rp), id, username, foldedName: folded });
  });
  await database.store(steps, { background: true });
}

async function* namesOf(database: Database, rp: ScopeOwner): AsyncGenerator<string[]> {
  for (let last: Buffer | undefined = BEGINNING; last;) {
    const next = { ...scope(rp), after: last, limit: NAMES_A_READ };
    const rows: { username: Buffer }[] = await database.query(NAMES_AFTER, next);
    yield rows.map(({ username }) => username.toString('utf8'));
    last = rows.at(-1)?.username;
    // SQLite answers synchronously: let other tasks run in between.
    await yieldToEventLoop();
  }
}

/**
 * A hash that is equal for two names that fold to the same name, and rarely for others, which a second comparison
 * excludes.
 */
const printOf = (name: string): bigint => sha256(foldedName(name)).readBigUInt64LE();

function repeated(parts: readonly BigUint64Array[]): ReadonlySet<bigint> {
  const all = new BigUint64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  all.sort();
  return new Set(all.filter((print, n) => print === all[n - 1]));
}

/** The maximum number of groups in an answer. */
const MAX_GROUPS = 100;

const beginsToFold = ({ before, after }: Change<RelyingPartyEntity>): boolean =>
  before.foldsNames === 0 && ignoresCase(after);

/**
 * Checks the users of a relying party for a new policy, and changes nothing.
 *
 * @param by the account that changes the policy; the error lists names only if it may read users
 * @throws ApiError E0045R with the names that differ only in case, if case is ignored from then on
 */
export async function ensureNamesDiffer(
  database: Database,
  by: Account,
  change: Change<RelyingPartyEntity>,
): Promise<void> {
  if (!beginsToFold(change)) return;
  const groups = await collisionsOf(database, change.before);
  if (groups.length > 0) throw collide(by, groups);
}

/**
 * Prepares the users of a relying party for a new policy: folds all names if case is ignored from then on.
 *
 * @throws ApiError as `ensureNamesDiffer`; nothing is changed then
 */
export async function prepareNames(
  database: Database,
  by: Account,
  change: Change<RelyingPartyEntity>,
): Promise<void> {
  if (!beginsToFold(change)) return;
  await ensureNamesDiffer(database, by, change);
  const { before } = change;
  // A user has just registered one of two such names.
  const units = foldNames(database, before);
  let unit = await units.next();
  while (!unit.done) unit = await units.next();
  if (!unit.value) throw collide(by, await collisionsOf(database, before));
}

function collide(by: Account, groups: readonly string[][]): ApiError {
  const collisions = groups.slice(0, MAX_GROUPS);
  const sees = may(by, 'users:read');
  const [first = []] = collisions;
  const names = first.map((name) => `"${name}"`).join(' and ');
  const body = { collisionsTotal: groups.length, ...(sees && { collisions }) };
  const parts = { body, field: 'usernames' };
  if (!sees) return new ApiError('E0045R', 'policy.hiddenNamesCollide', {}, parts);
  const reason = groups.length > 1 ? 'policy.manyNamesCollide' : 'policy.namesCollide';
  return new ApiError('E0045R', reason, { names }, parts);
}

const EVERY_MS = 60_000;

/**
 * Folds names that were stored unfolded at relying parties that ignore case: by an instance of an earlier
 * version, or by a cluster node that had not noticed the change. Until then such a user is found only by
 * the exact registered name.
 */
@Injectable()
export class FoldingJob extends LeasedJob {
  private readonly logger = new Logger(FoldingJob.name);

  constructor(
    private readonly database: Database,
    private readonly relyingParties: RelyingPartyCache,
  ) {
    super(database, {
      name: 'folded-names',
      everyMs: EVERY_MS,
      retryMessage: 'Names are folded in a minute',
    });
  }

  /**
   * Runs one round. Tenants take turns after each unit, so that many names of one delay no other.
   *
   * @param mayGoOn called before each unit; `false` stops
   */
  async foldAll(mayGoOn: ShouldContinue = () => true): Promise<void> {
    const turns = new RoundRobin<{ rp: RelyingParty; units: ReturnType<typeof foldNames> }>();
    for (const rp of this.relyingParties.current.all.filter(ignoresCase)) {
      turns.add(rp.tenant, { rp, units: foldNames(this.database, rp) });
    }
    for (let turn = turns.take(); turn && (await mayGoOn()); turn = turns.take()) {
      const { rp, units } = turn;
      const { done, value: areDistinct } = await units.next();
      if (!done) turns.add(rp.tenant, turn);
      else if (!areDistinct) {
        this.logger.warn(`${rp.domain} has names that differ in their case alone`);
      }
    }
  }

  protected override work(): Promise<void> {
    return this.foldAll(() => this.hold());
  }
}
