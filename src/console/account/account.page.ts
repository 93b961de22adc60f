import type { Account } from '../../security/account.js';
import type { PageView } from '../../presentation/page.view.js';
import type { ConsoleSession, Way } from '../sessions/console-session.entity.js';
import { browserName } from './browser-name.js';

const WAYS: Readonly<Record<Way, string>> = {
  password: 'password',
  'password+key': 'password and key',
  key: 'key',
};

/** A session for people. */
export interface SessionRow {
  readonly end: string;
  readonly browser: string;
  readonly address: string;
  readonly way: string;
  /** ISO 8601. */
  readonly beganAt: string;
  readonly usedAt: string;
  readonly endsAt: string;
  /** That of the browser that looks at it. */
  readonly current: boolean;
}

/** The page of somebody's own account. */
export interface AccountView extends PageView {
  readonly account: Account;
  readonly tenants: string | undefined;
  readonly sessions: readonly SessionRow[];
  /** Where else than here, in words. */
  readonly elsewhere: string | undefined;
}

const isoOf = (at: number): string => new Date(at).toISOString();

/** @param path of the page that the form to end it leads back to */
export const sessionRow = (
  { id, browser, address, way, beganAt, usedAt, endsAt }: ConsoleSession,
  { path, current }: { readonly path: string; readonly current: string | undefined },
): SessionRow => ({
  end: `${path}/${id.toString('base64url')}/_end`,
  browser: browserName(browser),
  address,
  way: WAYS[way],
  beganAt: isoOf(beganAt),
  usedAt: isoOf(usedAt),
  endsAt: isoOf(endsAt),
  current: id.toString('base64url') === current,
});

export const OWN_SESSIONS = '/console/account/sessions';

export function accountPage(account: Account, sessions: readonly ConsoleSession[]): AccountView {
  const { session: current, tenants } = account;
  const rows = sessions.map((row) => sessionRow(row, { path: OWN_SESSIONS, current }));
  return {
    title: 'Your account',
    styles: ['/static/css/users.css', '/static/css/console.css'],
    account,
    tenants: tenants?.join(', '),
    sessions: rows,
    elsewhere: elsewhere(rows.filter((row) => !row.current).length),
  };
}

const elsewhere = (others: number): string | undefined =>
  others === 0 ? undefined : others === 1 ? 'in another browser' : `in ${others} other browsers`;
