import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { Database } from '../database/database.js';
import type { Step } from '../database/commit/unit.js';
import { ApiError } from '../errors/api-error.js';
import { ledgerStep } from '../ledger/ledger.js';
import type { LedgerEvent } from '../ledger/ledger.js';
import { padded } from '../database/padded.js';
import { scopeParams } from '../database/scope.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { DELETE_USER, deleteCredentials, setEnabled } from './change.statements.js';
import { endingSteps, keepingSteps } from './deletions/keeping.js';
import type { Keeping } from './deletions/keeping.js';
import type { Pattern } from './pattern.js';
import type { FoundCredential, FoundUser } from './user-rows.js';
import { UserSearch } from './user-search.js';

/** What administrators do to users and credentials. */
export type Change = 'delete-user' | 'delete' | 'disable' | 'enable';

/** What belongs to a change besides the user. */
export interface Occasion {
  /** The request that asked for it. */
  readonly requestId: string;
  /** Which credentials were asked for; all, when absent. */
  readonly device?: Pattern | undefined;
  /** One of a great many: other changes go first. */
  readonly background?: boolean;
  /** Of a deletion: it can be taken back for a day. Without it, nothing is kept. */
  readonly keeping?: Keeping | undefined;
  /** Further steps of the same unit, told how many credentials it changes. */
  readonly along?: (credentials: number) => readonly Step[];
}

/** Somebody else changed the user between our look and our change, this many times in a row. */
const TRIES = 5;
export const CONTENDED = 'Others change this user at the same time.';

/**
 * Changes users and credentials for administrators: one unit for each user, with an event for each
 * credential changed. Every step is guarded by the state that it ends, so that of two who do the
 * same each change is made, and reported, by one of them.
 */
@Injectable()
export class UserChanges {
  constructor(
    private readonly database: Database,
    private readonly search: UserSearch,
    private readonly clock: Clock,
  ) {}

  /**
   * Changes a user's credentials that the search found, all of them or none; what is in the wanted
   * state already stays as it is.
   *
   * @returns the credentials changed; `undefined` when nothing was: the user is gone or as wanted
   * @throws ApiError E0052R where others were faster each time
   */
  async apply(
    change: Change,
    found: FoundUser,
    occasion: Occasion,
  ): Promise<readonly FoundCredential[] | undefined> {
    let user = found;
    for (let tries = 0; tries < TRIES; tries += 1) {
      const touched = user.credentials.filter(({ enabled }) => CONCERNS[change](enabled));
      if (touched.length === 0 && change !== 'delete-user') return undefined;
      if (await this.applyOnce(change, { ...user, credentials: touched }, occasion)) return touched;
      const now = await this.search.reread(user, occasion.device);
      if (!now) return undefined;
      user = now;
    }
    throw new ApiError('E0052R', CONTENDED);
  }

  /**
   * Changes just these credentials of a user.
   *
   * @returns `false` where the user or one of them is not as it was found, or a further step does not hold;
   *   nothing was changed then
   */
  applyOnce(change: Change, user: FoundUser, occasion: Occasion): Promise<boolean> {
    return this.database.commit(this.unit(change, user, occasion), occasion);
  }

  private unit(change: Change, user: FoundUser, occasion: Occasion): Step[] {
    const { requestId, along } = occasion;
    const { id, username, relyingParty, credentials } = user;
    const facts = { at: this.clock.now(), relyingParty, user: { id, username }, requestId };
    const events: LedgerEvent[] = credentials.map((credential) => ({
      ...facts,
      ...EVENTS[change](credential),
      credentialHash: credential.credentialHash,
    }));
    const end = change === 'delete-user';
    if (end) events.push({ ...facts, kind: 'user-deleted' });
    return [
      ...beforeDeletion(change, user, { ...occasion, at: facts.at }),
      ...changesOf(change, user),
      ...(end ? [userDeletion(user)] : []),
      ledgerStep(...events),
      ...(along?.(credentials.length) ?? []),
    ];
  }
}

function beforeDeletion(
  change: Change,
  user: FoundUser,
  { keeping, at }: Occasion & { readonly at: number },
): Step[] {
  const whole = change === 'delete-user';
  if (!whole && change !== 'delete') return [];
  return [
    ...(whole ? endingSteps(user, { forGood: keeping === undefined }) : []),
    ...(keeping ? keepingSteps(user, keeping, { at, whole }) : []),
  ];
}

/** Which credentials a change has something to do with, by whether they are enabled. */
const CONCERNS: Readonly<Record<Change, (enabled: boolean) => boolean>> = {
  'delete-user': () => true,
  delete: () => true,
  disable: (enabled) => enabled,
  enable: (enabled) => !enabled,
};

const deleted = ({ enabled }: FoundCredential) =>
  ({ kind: 'deleted', detail: enabled ? 'enabled' : 'disabled' }) as const;

const EVENTS = {
  'delete-user': deleted,
  delete: deleted,
  disable: () => ({ kind: 'disabled' }) as const,
  enable: () => ({ kind: 'enabled' }) as const,
};

/** One statement for those that are enabled, and one for those that are not. */
function changesOf(change: Change, { relyingParty, credentials }: FoundUser): Step[] {
  return [1, 0].flatMap((enabled) => {
    const ids = credentials.filter((one) => Number(one.enabled) === enabled).map(({ id }) => id);
    return ids.length === 0 ? [] : [changeOf(change, relyingParty, { ids, enabled })];
  });
}

/** Credentials of one user, in the state that the change ends. */
interface Touched {
  readonly ids: readonly Buffer[];
  readonly enabled: number;
}

function changeOf(change: Change, rp: RelyingParty, { ids: few, enabled }: Touched): Step {
  const ids = padded(few);
  const params = [...scopeParams(rp), ...ids, enabled];
  const guard = few.length;
  return change === 'disable' || change === 'enable'
    ? { sql: setEnabled(ids), params: [1 - enabled, ...params], guard }
    : { sql: deleteCredentials(ids), params, guard };
}

const userDeletion = ({ id, relyingParty }: FoundUser): Step => ({
  sql: DELETE_USER,
  params: [...scopeParams(relyingParty), id, id],
  guard: true,
});
