import { Injectable } from '@nestjs/common';
import { Pattern } from '../../credentials/pattern.js';
import { UserChanges } from '../../credentials/user-changes.js';
import type { Change } from '../../credentials/user-changes.js';
import type { FoundCredential, FoundUser } from '../../credentials/user-rows.js';
import { UsersByName } from '../../credentials/users-by-name.js';
import { ApiError } from '../../errors/api-error.js';
import type { Account } from '../../security/account.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { normalizeName } from '../../validation/names.js';
import { rightsOf } from './rights.js';
import type { Rights } from './rights.js';

/** What a button does. */
interface Kind {
  readonly change: Change;
  /** What the account must have. */
  readonly right: keyof Rights;
  /** For the audit trail; the same words as those of `manageusers`. */
  readonly audit: string;
  /** Whether the person's name, or the number of people, has to be typed first. */
  readonly typed: boolean;
}

/** The buttons of the pages, by the value that their forms send. */
export const ACTIONS = {
  'disable-key': { change: 'disable', right: 'keys', audit: 'credential.disable', typed: false },
  'enable-key': { change: 'enable', right: 'keys', audit: 'credential.enable', typed: false },
  'delete-key': { change: 'delete', right: 'keys', audit: 'credential.delete', typed: true },
  'disable-all': { change: 'disable', right: 'keys', audit: 'user.disable', typed: false },
  'enable-all': { change: 'enable', right: 'keys', audit: 'user.enable', typed: false },
  'delete-user': { change: 'delete-user', right: 'users', audit: 'user.delete', typed: true },
} as const satisfies Record<string, Kind>;

export type Action = keyof typeof ACTIONS;

export const isAction = (text: string | undefined): text is Action =>
  text !== undefined && Object.hasOwn(ACTIONS, text);

/** A credential ID as forms name it. */
export const keyName = ({ credentialId }: FoundCredential): string =>
  credentialId.toString('base64url');

/** Does for people what `manageusers` does for programs: the same changes, found by exact names. */
@Injectable()
export class UserActions {
  constructor(
    private readonly users: UsersByName,
    private readonly changes: UserChanges,
  ) {}

  /** @throws ApiError E0045R for no action, E0043R for one that the role may not do */
  allowed(account: Account, text: string | undefined): Action {
    if (!isAction(text)) throw new ApiError('E0045R', '"action" is none of this page.');
    if (rightsOf(account)[ACTIONS[text].right]) return text;
    throw new ApiError('E0043R', `The role "${account.role}" may not do this.`);
  }

  /** Those of the names that are users, in the order of their bytes. */
  find(rp: RelyingParty, names: readonly string[]): Promise<FoundUser[]> {
    return names.length === 0 ? Promise.resolve([]) : this.users.find(rp, names.map(normalizeName));
  }

  /**
   * Changes a user, or one of the user's keys.
   *
   * @param key the credential ID of the key; all, when absent
   * @returns the credentials changed; `undefined` when nothing was, since it is so already
   */
  async apply(
    action: Action,
    user: FoundUser,
    { key, requestId }: { key?: string; requestId: string },
  ): Promise<readonly FoundCredential[] | undefined> {
    const { change } = ACTIONS[action];
    if (key === undefined) return this.changes.apply(change, user, { requestId });
    const credentials = user.credentials.filter((credential) => keyName(credential) === key);
    // A credential ID has no asterisk: as a pattern it matches itself.
    const device = new Pattern(key);
    return this.changes.apply(change, { ...user, credentials }, { requestId, device });
  }
}
