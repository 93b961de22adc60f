import type { Request } from 'express';
import { phrase } from '../platform/pages/languages/phrase.js';
import type { PageVisit } from '../platform/pages/submit-form.js';
import { may } from '../platform/access/permissions.js';
import type { KnownAccount } from '../platform/access/accounts/accounts.js';
import { sessionRow } from './own-account/own-account.view.js';
import type { ConsoleSession } from './sessions/console-session.entity.js';
import type { FirstAccess } from './account-setup.js';
import {
  accountPermissionsOf,
  tenantsText,
  type AccountPermissions,
} from './account-permissions.js';
import type { AccountsPart } from './visible-accounts.js';
import {
  permissionsFields,
  permissionsForm,
  permissionsText,
  type PermissionsVisit,
} from './permissions-form.js';

const STYLES = ['/static/css/users.css', '/static/css/tenants.css', '/static/css/console.css'];

/** A setup link or a password, which is shown once; neither for an account of the configuration. */
export interface AccessHandover {
  readonly name: string;
  readonly link?: string;
  readonly password?: string;
  /** When the link expires, ISO 8601. */
  readonly endsAt?: string;
}

/**
 * Returns the setup link or password. The link has the address of the administrator's browser, since a
 * proxy may hide the scheme.
 */
export function accessToHandOver(
  { headers, protocol, host }: Pick<Request, 'headers' | 'protocol' | 'host'>,
  name: string,
  access: FirstAccess | undefined,
): AccessHandover {
  if (!access) return { name };
  if (access.endsAt === null) return { name, password: access.secret };
  const link = `${headers.origin ?? `${protocol}://${host}`}/console/setup#${access.secret}`;
  return { name, link, endsAt: new Date(access.endsAt).toISOString() };
}

export const ACCOUNTS = '/console/accounts';
export const accountAddress = (name: string): string => `${ACCOUNTS}/${encodeURIComponent(name)}`;

const rowOf = (
  { account, configured, keyCount, needsKey, isNew, ...known }: KnownAccount,
  { tenants }: PermissionsVisit,
) => ({
  address: accountAddress(account.name),
  name: account.name,
  role: phrase(`console:roles.${account.role}`),
  tenants: tenantsText(account, tenants),
  configured,
  keyCount,
  needsKey,
  isNew,
  breakGlass: known.breakGlass,
  /** Issuer and subject of an account of the OpenID provider. */
  identity: known.identity,
});

/** A field of a form that is shown again, and its error. */
const fieldOf = ({ sent }: PageVisit, name: string) => ({
  value: sent ? permissionsText(sent.fields, name) : '',
  error: sent?.faults[name],
});

interface LastSignIns {
  /** Milliseconds since 1970, by name. */
  readonly lastSignIns: ReadonlyMap<string, number>;
}

/** The initial values of the form for a new account. */
const NEW: AccountPermissions = { role: 'helpdesk' };

/** @param created the account that was just created */
export const accountsPage = (
  { accounts, isFirst, next, lastSignIns }: AccountsPart & LastSignIns,
  visit: PermissionsVisit,
  created?: AccessHandover,
) => ({
  title: phrase('console:accounts.title'),
  texts: 'console',
  nav: { accounts: true },
  styles: STYLES,
  accounts: accounts.map((known) => {
    const at = lastSignIns.get(known.account.name);
    return {
      ...rowOf(known, visit),
      lastSignIn: at === undefined ? undefined : new Date(at).toISOString(),
    };
  }),
  first: isFirst ? undefined : ACCOUNTS,
  next: next && `${ACCOUNTS}?${new URLSearchParams({ from: next })}`,
  mayChange: may(visit.account, 'accounts:change'),
  links: visit.links,
  refused: visit.sent !== undefined,
  fields: { name: fieldOf(visit, 'name'), ...permissionsFields(visit, NEW) },
  created,
  again: created && ACCOUNTS,
});

/** @param tag the version of the account, for the form that removes it */
export const oneAccountPage = (
  known: KnownAccount,
  sessions: readonly ConsoleSession[],
  visit: PermissionsVisit,
  tag: string,
  reset?: AccessHandover,
) => ({
  title: phrase('console:oneAccount.title', { name: known.account.name }),
  texts: 'console',
  nav: { accounts: true },
  styles: STYLES,
  row: rowOf(known, visit),
  tag,
  sessions: sessions.map((one) =>
    sessionRow(one, {
      path: `${accountAddress(known.account.name)}/sessions`,
      current: visit.account.session,
    }),
  ),
  mayChange: may(visit.account, 'accounts:change'),
  links: visit.links,
  own: known.account.name === visit.account.name,
  refused: visit.sent !== undefined && !visit.stale,
  ...permissionsForm(visit, accountPermissionsOf(known)),
  confirmError: visit.sent?.faults['confirm'],
  resetError: visit.sent?.faults['reset'],
  breakGlassError: visit.sent?.faults['breakGlass'],
  mayBreakGlass: visit.hasProvider === true && known.identity === null,
  reset,
  again: reset && accountAddress(known.account.name),
});
