import { withLabels, type ModelNames } from '../../users/credentials/key-label.js';
import type { KeptDeletion } from '../../users/deletions/restoring-steps.js';
import type { EndedPermits } from '../../users/lock-outs.js';
import type { LinkedUser } from '../../users/moves/linked-users.js';
import type { Account } from '../../platform/access/accounts/account.js';
import { may } from '../../platform/access/permissions.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { phrase, type Phrase } from '../../platform/pages/languages/phrase.js';

/** What the layout needs for every page of users. */
export const USERS_PAGE = {
  texts: 'users',
  nav: { users: true },
  styles: ['/static/css/users.css'],
} as const;

/** The permissions of an account on users; the pages show no button that would be refused. */
export const userPermissions = (account: Account) => ({
  keys: may(account, 'keys:change'),
  suspend: may(account, 'users:suspend'),
  groups: may(account, 'groups:change'),
  /** Delete users with all their data. */
  users: may(account, 'users:delete'),
  /** Erase users from stored data. */
  erase: may(account, 'users:erase'),
  invite: may(account, 'tickets:issue'),
  audit: may(account, 'audit:read'),
});

/** The ID of the user on a page, for its forms; empty if no user has the name. */
export const shownId = ([user]: readonly { readonly id: Buffer }[]): string =>
  user?.id.toString('base64url') ?? '';

/**
 * Checks that the users of a name are those whom the page of the form showed. The caller must change these and not look
 * the name up again, since another user may have it a moment later.
 *
 * @param shown the result of `shownId` for the form's page; absent for programs
 * @throws ApiError E0053R if another user has the name now
 */
export function ensureShown(found: readonly LinkedUser[], shown: string | undefined): void {
  if (shown === undefined || shown === shownId(found.map(({ user }) => user))) return;
  throw new ApiError('E0053R', 'resource.changed');
}

/** What was done, and how many permissions to register a key ended with it, if any did. */
export const withEnded = (done: Phrase, { tickets, invitations }: EndedPermits): Phrase =>
  tickets + invitations === 0
    ? done
    : phrase('users:done.withEnded', {
        done,
        tickets: phrase('users:done.endedTickets', { count: tickets }),
        invitations: phrase('users:done.endedInvitations', { count: invitations }),
      });

/** The query of an address, including `?`, without absent values. Safe in an attribute. */
export function queryOf(parameters: Readonly<Record<string, string | undefined>>): string {
  const entries = Object.entries(parameters).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const query = new URLSearchParams(entries).toString();
  return query === '' ? '' : `?${query}`;
}

export const userAddress = (name: string, rp: string, more: Record<string, string> = {}): string =>
  `/userapi/user${queryOf({ name, rp, ...more })}`;

export const explainAddress = (request: string): string =>
  `/userapi/explain${queryOf({ request })}`;

/** The address of all audit rows of a request, regardless of their users. */
export const auditAddress = (requestId: string): string =>
  `/userapi/audit${queryOf({ requestId })}`;

/** The field for the address of invitations on a relying party's page. */
export const enrolmentUrlOf = ({ tenant, domain }: { tenant: string; domain: string }): string =>
  `/tenants/${encodeURIComponent(tenant)}/${domain}#field-enrolmentUrl`;

interface NamedUser {
  readonly username: string;
  readonly displayName: string;
  readonly relyingParty: { readonly domain: string };
}

/** A user in a table of a page. */
export function userEntry({ username: name, displayName, relyingParty: { domain } }: NamedUser) {
  return {
    name,
    displayName: displayName === name ? undefined : displayName,
    domain,
    /** Identifies the user in forms; a domain contains no slash. */
    value: `${domain}/${name}`,
    address: userAddress(name, domain),
  };
}

/** The notice on the page of this name and domain about a deletion that can be undone. */
export function deletionNotice(
  deletion: KeptDeletion,
  { name, domain: rp }: { name: string; domain: string },
  account: Account,
  models: ModelNames,
) {
  const { id, whole, username, relyingParty, keys, reason } = deletion;
  const permissions = userPermissions(account);
  return {
    whole,
    username,
    keys: withLabels(keys, models),
    reason,
    /** The domain at which the user or the keys were deleted. */
    domain: relyingParty.domain,
    account: deletion.account,
    at: new Date(deletion.at).toISOString(),
    until: new Date(deletion.until).toISOString(),
    mayUndo: whole ? permissions.users : permissions.keys,
    /** Fields of the undo form: the deletion's ID in Base64URL, and the domain and name of the page. */
    deletion: id.toString('base64url'),
    rp,
    name,
  };
}
