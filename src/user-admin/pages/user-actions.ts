import { Injectable } from '@nestjs/common';
import type { AuditAction } from '../../audit/actions.js';
import { Deletions } from '../../credentials/deletions/deletions.js';
import type { KeptDeletion } from '../../credentials/deletions/deletions.js';
import { Pattern } from '../../credentials/pattern.js';
import { SimilarNames } from '../../credentials/search/similar-names.js';
import { UserChanges } from '../../credentials/user-changes.js';
import type { Change, Occasion } from '../../credentials/user-changes.js';
import type { FoundCredential, FoundUser } from '../../credentials/user-rows.js';
import { UsersByName } from '../../credentials/users-by-name.js';
import type { Permission } from '../../security/permissions.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { TenantDirectory } from '../../tenancy/tenant-directory.js';
import { isObject } from '../../validation/field.js';
import { normalizeName } from '../../validation/names.js';

/** What a button does. */
interface Kind {
  readonly change: Change;
  /** What one must be permitted for it. */
  readonly needs: Permission;
  /** For the audit trail; the same words as those of `manageusers`. */
  readonly audit: AuditAction;
  /** Whether the person's name, or the number of people, has to be typed first. */
  readonly typed: boolean;
}

/** The buttons of the pages, by the value that their forms send. */
export const ACTIONS = {
  'disable-key': {
    change: 'disable',
    needs: 'keys:change',
    audit: 'credential.disable',
    typed: false,
  },
  'enable-key': {
    change: 'enable',
    needs: 'keys:change',
    audit: 'credential.enable',
    typed: false,
  },
  'delete-key': {
    change: 'delete',
    needs: 'keys:change',
    audit: 'credential.delete',
    typed: false,
  },
  'disable-all': { change: 'disable', needs: 'keys:change', audit: 'user.disable', typed: false },
  'enable-all': { change: 'enable', needs: 'keys:change', audit: 'user.enable', typed: false },
  'delete-user': {
    change: 'delete-user',
    needs: 'users:delete',
    audit: 'user.delete',
    typed: true,
  },
} as const satisfies Record<string, Kind>;

export type Action = keyof typeof ACTIONS;

export const ACTION_NAMES = Object.keys(ACTIONS) as readonly Action[];

/** Those for several people at once. */
export const BULK_ACTIONS = ['disable-all', 'enable-all', 'delete-user'] as const;

/** The kind of action that a form asks for, as far as it can be told before the form is checked. */
export function kindIn(form: unknown): Kind | undefined {
  const action = isObject(form) ? form['action'] : undefined;
  return ACTION_NAMES.includes(action as Action) ? ACTIONS[action as Action] : undefined;
}

/** Whether it can be taken back for a day, though rows are gone. */
export const deletes = (action: Action): boolean => ACTIONS[action].change.startsWith('delete');

/** What one must be permitted for the action that a form asks for. */
export const neededFor = (form: unknown): Permission | undefined => kindIn(form)?.needs;

/** A credential ID as forms name it. */
export const keyName = ({ credentialId }: FoundCredential): string =>
  credentialId.toString('base64url');

/** Does for people what `manageusers` does for programs: the same changes, found by exact names. */
@Injectable()
export class UserActions {
  constructor(
    private readonly users: UsersByName,
    private readonly changes: UserChanges,
    private readonly directory: TenantDirectory,
    private readonly deletions: Deletions,
    private readonly similar: SimilarNames,
  ) {}

  /** Users who are called so in another case. */
  async alike(rp: RelyingParty, name: string): Promise<readonly string[]> {
    return (await this.similar.find(rp, [name])).get(name) ?? [];
  }

  /** Those of the names that are users, in the order of their bytes. */
  find(rp: RelyingParty, names: readonly string[]): Promise<FoundUser[]> {
    return names.length === 0 ? Promise.resolve([]) : this.users.find(rp, names.map(normalizeName));
  }

  /**
   * With whom they are at the domain from which people come (decisions §12 "A new domain"): what is changed
   * here is changed there too, or who is locked out here would come in with a key of there.
   */
  async everywhere(rp: RelyingParty, names: readonly string[]): Promise<FoundUser[]> {
    const former = this.directory.current.predecessorOf(rp);
    const places = former ? [rp, former] : [rp];
    const found = await Promise.all(places.map((place) => this.find(place, names)));
    return found.flat();
  }

  /**
   * What was deleted on pages and can be brought back, there too: of users who are there their keys, else the
   * user.
   */
  async deleted(
    rp: RelyingParty,
    name: string,
    users: readonly FoundUser[],
  ): Promise<KeptDeletion[]> {
    const found = this.directory.current.withPredecessor(rp).map((place) => {
      const user = users.find(({ relyingParty }) => relyingParty.id.equals(place.id));
      return user ? this.deletions.ofUser(place, user.id) : this.deletions.ofName(place, name);
    });
    return (await Promise.all(found)).flat();
  }

  /** Where the people of a relying party go to. */
  successorOf(rp: RelyingParty): RelyingParty | undefined {
    return this.directory.current.successorOf(rp);
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
    { key, ...occasion }: { key?: string } & Pick<Occasion, 'requestId' | 'keeping'>,
  ): Promise<readonly FoundCredential[] | undefined> {
    const { change } = ACTIONS[action];
    if (key === undefined) return this.changes.apply(change, user, occasion);
    const credentials = user.credentials.filter((credential) => keyName(credential) === key);
    // A credential ID has no asterisk: as a pattern it matches itself.
    const device = new Pattern(key);
    return this.changes.apply(change, { ...user, credentials }, { ...occasion, device });
  }
}
