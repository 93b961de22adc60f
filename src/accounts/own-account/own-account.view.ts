import type { Account } from '../../platform/access/accounts/account.js';
import { SIGN_IN_RULES, type KnownAccount } from '../../platform/access/accounts/accounts.js';
import { problem } from '../../platform/errors/reasons.js';
import {
  baseIn,
  baseOf,
  changedMeanwhile,
  changesIn,
  differingFrom,
} from '../../platform/pages/form-base.js';
import { browserPhrase } from '../../platform/pages/languages/browser-phrase.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import type { RefusedForm } from '../../platform/pages/submit-form.js';
import type { Tenant } from '../../tenancy/tenant.entity.js';
import { tenantsText } from '../account-permissions.js';
import { isUvInitialized, type ConsoleKey } from '../keys/console-key.entity.js';
import type { ConsoleHost } from '../keys/key-ceremony.js';
import type { ConsoleSession } from '../sessions/console-session.entity.js';

const OWN_SESSIONS = '/console/account/sessions';
const OWN_KEYS = '/console/account/keys';

interface OwnAccount {
  readonly account: Account;
  readonly known: KnownAccount;
  readonly sessions: readonly ConsoleSession[];
  readonly keys: readonly ConsoleKey[];
  /** `undefined` if the server was called by an IP address, for which browsers create no keys. */
  readonly host: ConsoleHost | undefined;
  /** Whether the sign-in is recent enough for a change. */
  readonly fresh: boolean;
  /** Creation options for a new key; `undefined` if none can be added. */
  readonly options: object | undefined;
  readonly tenants: readonly Tenant[];
}

/**
 * The page of one's own account.
 *
 * @param sent the form for which the page is shown again
 */
export function ownAccountPage(own: OwnAccount, sent?: RefusedForm) {
  const { account, known, host, fresh, options } = own;
  const { role, session: current, pending } = account;
  const sessions = own.sessions.map((row) => sessionRow(row, { path: OWN_SESSIONS, current }));
  return {
    title: phrase('console:account.title'),
    texts: 'console',
    styles: ['/static/css/users.css', '/static/css/tenants.css', '/static/css/console.css'],
    scripts: ['/static/js/console.js'],
    account,
    role: phrase(`console:roles.${role}`),
    tenants: tenantsText(account, own.tenants),
    /** The first required step of the account's owner. */
    first: pending && phrase(`console:account.first.${pending}`),
    passwordFirst: pending === 'password',
    sessions,
    /** The number of sessions in other browsers. */
    elsewhere: sessions.filter((row) => !row.current).length,
    keys: own.keys.map(keyRow),
    ...ruleForm(known, sent),
    ways: { possible: host !== undefined, fresh, options: options && JSON.stringify(options) },
    configured: known.configured,
    /** Why there is neither a password to change nor a rule to choose. */
    noPassword: reasonAgainstPassword(known),
    refused: sent !== undefined && !sent.isStale,
    faults: sent?.faults ?? {},
  };
}

function reasonAgainstPassword({ identity, password }: KnownAccount) {
  if (identity !== null) return problem('account.ofProvider');
  return password === '' ? problem('account.noPassword') : undefined;
}

const isoOf = (at: number): string => new Date(at).toISOString();

/** @param path the page to which the form that ends the session redirects */
export const sessionRow = (
  { id, browser, address, way, beganAt, usedAt, endsAt }: ConsoleSession,
  { path, current }: { readonly path: string; readonly current: string | undefined },
) => ({
  end: `${path}/${id.toString('base64url')}/_end`,
  browser: browserPhrase(browser),
  address,
  way: phrase(`console:ways.${way}`),
  beganAt: isoOf(beganAt),
  usedAt: isoOf(usedAt),
  endsAt: isoOf(endsAt),
  /** Whether it is the session of the current browser. */
  current: id.toString('base64url') === current,
});

const keyRow = (key: ConsoleKey) => ({
  remove: `${OWN_KEYS}/${key.id.toString('base64url')}/_remove`,
  name: key.name,
  domain: key.domain,
  /** Whether it may be the only factor. */
  isEnough: isUvInitialized(key),
  synced: key.backupEligible,
  createdAt: isoOf(key.createdAt),
  usedAt: key.usedAt === null ? undefined : isoOf(key.usedAt),
});

const ruleText = (rule: unknown) => phrase(`console:rules.${String(rule)}`);

/** The form of the rule, and the changes since it was shown. */
function ruleForm({ account, needsKey, signIn: rule }: KnownAccount, sent?: RefusedForm) {
  const base = baseIn(sent?.fields ?? {});
  const typed = sent?.isStale ? changesIn({ base, members: { rule: sent.fields['rule'] } }) : {};
  const saved = { rule, ...typed };
  const before = SIGN_IN_RULES.find((one) => differingFrom(base, { rule: one }).length === 0);
  const change = {
    by: account.name,
    before: before && { value: before },
    after: { value: rule },
  };
  return {
    rules: SIGN_IN_RULES.filter((one) => !needsKey || one !== 'password').map((value) => ({
      value,
      text: ruleText(value),
      selected: value === saved.rule,
    })),
    base: baseOf({ rule }),
    meanwhile: sent?.isStale
      ? changedMeanwhile(
          ['rule'],
          [
            {
              member: 'rule',
              what: phrase('console:account.rule.heading'),
              valueOf: (edited: { readonly rule: unknown }) => ruleText(edited.rule),
            },
          ],
          { stored: { rule }, saved, storedWith: (_, value) => ({ rule: value }) },
          new Map([['rule', change]]),
        )
      : undefined,
  };
}
