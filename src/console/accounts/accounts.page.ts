import { ROLES } from '../../config/accounts-file.js';
import { phrase } from '../../presentation/languages/phrase.js';
import type { Phrase } from '../../presentation/languages/phrase.js';
import type { PageView } from '../../presentation/page.view.js';
import { may } from '../../security/permissions.js';
import type { Account } from '../../security/account.js';
import type { KnownAccount } from '../../security/known-account.js';
import type { SentForm } from '../../validation/form.pipe.js';
import { sessionRow } from '../account/account.page.js';
import type { SessionRow } from '../account/account.page.js';
import type { ConsoleSession } from '../sessions/console-session.entity.js';

const STYLES = ['/static/css/users.css', '/static/css/tenants.css', '/static/css/console.css'];

/** A field of a form that is shown again, and what was wrong with it. */
interface FieldView {
  readonly value: string;
  readonly error: string | undefined;
}

interface Choice {
  readonly value: string;
  readonly text: Phrase;
  readonly selected: boolean;
}

interface RightsFields {
  readonly roles: { readonly choices: readonly Choice[]; readonly error: string | undefined };
  readonly tenants: FieldView;
}

interface AccountRow {
  readonly address: string;
  readonly name: string;
  readonly role: string;
  readonly tenants: string | undefined;
  readonly configured: boolean;
}

export interface AccountsView extends PageView {
  readonly accounts: readonly AccountRow[];
  readonly mayChange: boolean;
  readonly refused: boolean;
  readonly fields: RightsFields & { readonly name: FieldView };
  /** The account that was just created, with its password. */
  readonly created: NewPassword | undefined;
}

export interface OneAccountView extends PageView {
  readonly row: AccountRow;
  readonly sessions: readonly SessionRow[];
  readonly mayChange: boolean;
  readonly own: boolean;
  readonly refused: boolean;
  readonly fields: RightsFields;
  readonly confirmError: string | undefined;
  readonly reset: NewPassword | undefined;
}

/** A password that is shown once. */
export interface NewPassword {
  readonly name: string;
  readonly password: string;
}

/** The account that opens a page, and the form that it sent there, if something was wrong with that. */
export interface Visit {
  readonly account: Account;
  readonly sent?: Pick<SentForm, 'fields' | 'faults'>;
}

export const ACCOUNTS = '/console/accounts';
export const addressOf = (name: string): string => `${ACCOUNTS}/${encodeURIComponent(name)}`;

const rowOf = ({ account, configured }: KnownAccount): AccountRow => ({
  address: addressOf(account.name),
  name: account.name,
  role: account.role,
  tenants: account.tenants?.join(', '),
  configured,
});

const textIn = (fields: Readonly<Record<string, unknown>> | undefined, name: string): string => {
  const value = fields?.[name];
  return typeof value === 'string' ? value : '';
};

const fieldOf = ({ sent }: Visit, name: string, present = ''): FieldView => ({
  value: sent ? textIn(sent.fields, name) : present,
  error: sent?.faults[name],
});

function rightsOf(visit: Visit, present?: Account): RightsFields {
  const chosen = visit.sent ? textIn(visit.sent.fields, 'role') : (present?.role ?? 'helpdesk');
  const choices = ROLES.map((role) => ({
    value: role,
    text: phrase(`console:duties.${role}`),
    selected: role === chosen,
  }));
  return {
    roles: { choices, error: visit.sent?.faults['role'] },
    tenants: fieldOf(visit, 'tenants', present?.tenants?.join(', ')),
  };
}

export const accountsPage = (
  accounts: readonly KnownAccount[],
  visit: Visit,
  created?: NewPassword,
): AccountsView => ({
  title: phrase('console:accounts.title'),
  texts: 'console',
  nav: { accounts: true },
  styles: STYLES,
  accounts: accounts.map(rowOf),
  mayChange: may(visit.account, 'accounts:change'),
  refused: visit.sent !== undefined,
  fields: { name: fieldOf(visit, 'name'), ...rightsOf(visit) },
  created,
  again: created && ACCOUNTS,
});

export const oneAccountPage = (
  known: KnownAccount,
  sessions: readonly ConsoleSession[],
  { visit, reset }: { readonly visit: Visit; readonly reset?: NewPassword | undefined },
): OneAccountView => ({
  title: phrase('console:oneAccount.title', { name: known.account.name }),
  texts: 'console',
  nav: { accounts: true },
  styles: STYLES,
  row: rowOf(known),
  sessions: sessions.map((one) =>
    sessionRow(one, {
      path: `${addressOf(known.account.name)}/sessions`,
      current: visit.account.session,
    }),
  ),
  mayChange: may(visit.account, 'accounts:change'),
  own: known.account.name === visit.account.name,
  refused: visit.sent !== undefined,
  fields: rightsOf(visit, known.account),
  confirmError: visit.sent?.faults['confirm'],
  reset,
  again: reset && addressOf(known.account.name),
});
