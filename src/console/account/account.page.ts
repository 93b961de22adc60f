import type { Account } from '../../platform/access/accounts/account.js';
import {
  baseIn,
  baseOf,
  changedMeanwhile,
  changesIn,
  differingFrom,
} from '../../platform/pages/form-base.js';
import type { MeanwhileView, PageView } from '../../platform/pages/page.view.js';
import type { RefusedForm } from '../../platform/pages/submit-form.js';
import type { Faults } from '../../platform/validation/form.pipe.js';
import { SIGN_IN_RULES } from '../../platform/access/accounts/accounts.js';
import type { SignInRule } from '../../platform/access/accounts/accounts.js';
import { isUvInitialized } from '../keys/console-key.entity.js';
import type { ConsoleKey } from '../keys/console-key.entity.js';
import type { ConsoleSession } from '../sessions/console-session.entity.js';
import { browserPhrase } from '../../platform/pages/languages/browser-phrase.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import type { Phrase } from '../../platform/pages/languages/phrase.js';

/** A session as the page shows it. */
export interface SessionRow {
  readonly end: string;
  readonly browser: Phrase;
  readonly address: string;
  readonly way: Phrase;
  /** ISO 8601. */
  readonly beganAt: string;
  readonly usedAt: string;
  readonly endsAt: string;
  /** Whether it is the session of the browser that shows the page. */
  readonly current: boolean;
}

/** A key as the page shows it. */
interface KeyRow {
  readonly remove: string;
  readonly name: string;
  readonly domain: string;
  /** Whether it may be the only factor. */
  readonly isEnough: boolean;
  readonly synced: boolean;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly usedAt: string | undefined;
}

interface RuleChoice {
  readonly value: SignInRule;
  readonly text: Phrase;
  readonly selected: boolean;
}

/** The form of the rule, and what has changed since it was shown. */
interface RuleForm {
  readonly rules: readonly RuleChoice[];
  /** What the form shows (`baseOf`). */
  readonly base: string;
  readonly meanwhile: readonly MeanwhileView[] | undefined;
}

/** Whether keys can be changed from here. */
interface KeyWays {
  /** `false` where the server was called by an IP address, for which browsers make no keys. */
  readonly possible: boolean;
  /** Whether the sign-in was recent enough. */
  readonly fresh: boolean;
  /** Creation options for a new key, as JSON; `undefined` where none can be added. */
  readonly options: string | undefined;
}

/** The page of somebody's own account. */
export interface AccountView extends PageView, RuleForm {
  readonly account: Account;
  readonly role: Phrase;
  readonly tenants: string | undefined;
  /** What its owner must do before anything else. */
  readonly first: Phrase | undefined;
  readonly sessions: readonly SessionRow[];
  /** Number of sessions in other browsers. */
  readonly elsewhere: number;
  readonly keys: readonly KeyRow[];
  readonly ways: KeyWays;
  /** Whether the account is in the server's configuration, where its password is changed. */
  readonly configured: boolean;
  readonly refused: boolean;
  /** Mistakes in the form of the password, by field. */
  readonly faults: Faults;
}

const isoOf = (at: number): string => new Date(at).toISOString();

/** @param path of the page to which the form that ends the session leads back */
export const sessionRow = (
  { id, browser, address, way, beganAt, usedAt, endsAt }: ConsoleSession,
  { path, current }: { readonly path: string; readonly current: string | undefined },
): SessionRow => ({
  end: `${path}/${id.toString('base64url')}/_end`,
  browser: browserPhrase(browser),
  address,
  way: phrase(`console:ways.${way}`),
  beganAt: isoOf(beganAt),
  usedAt: isoOf(usedAt),
  endsAt: isoOf(endsAt),
  current: id.toString('base64url') === current,
});

interface OwnFacts {
  /** Whether an administrator demands a second factor. */
  readonly needsKey: boolean;
  readonly keys: readonly ConsoleKey[];
  readonly signIn: SignInRule;
  readonly ways: KeyWays;
  readonly sessions: readonly ConsoleSession[];
  readonly configured: boolean;
  readonly sent?: RefusedForm | undefined;
}

const OWN_SESSIONS = '/console/account/sessions';

export function accountPage(
  account: Account,
  { sessions, configured, sent, keys, needsKey, signIn, ways }: OwnFacts,
): AccountView {
  const { session: current, tenants, pending } = account;
  const rows = sessions.map((row) => sessionRow(row, { path: OWN_SESSIONS, current }));
  return {
    title: phrase('console:account.title'),
    texts: 'console',
    styles: ['/static/css/users.css', '/static/css/tenants.css', '/static/css/console.css'],
    scripts: ['/static/js/console.js'],
    account,
    role: phrase(`console:roles.${account.role}`),
    tenants: tenants?.join(', '),
    first: pending && phrase(`console:account.first.${pending}`),
    sessions: rows,
    keys: keys.map(keyRow),
    ...ruleForm(signIn, { account, needsKey, sent }),
    ways,
    configured,
    refused: sent !== undefined && !sent.isStale,
    faults: sent?.faults ?? {},
    elsewhere: rows.filter((row) => !row.current).length,
  };
}

const ruleText = (rule: unknown) => phrase(`console:rules.${String(rule)}`);

function ruleForm(
  rule: SignInRule,
  { account, needsKey, sent }: Pick<OwnFacts, 'needsKey' | 'sent'> & { readonly account: Account },
): RuleForm {
  const base = baseIn(sent?.fields ?? {});
  const typed = sent?.isStale ? changesIn({ base, members: { rule: sent.fields['rule'] } }) : {};
  const then = { rule, ...typed };
  const before = SIGN_IN_RULES.find((one) => differingFrom(base, { rule: one }).length === 0);
  return {
    rules: SIGN_IN_RULES.filter((one) => !needsKey || one !== 'password').map((value) => ({
      ...{ value, text: ruleText(value), selected: value === then.rule },
    })),
    base: baseOf({ rule }),
    meanwhile: sent?.isStale
      ? changedMeanwhile(
          ['rule'],
          { now: { rule }, then, when: (_, rule) => ({ rule }) },
          ({ rule }) => [
            { member: 'rule', what: phrase('console:account.rule.heading'), value: ruleText(rule) },
          ],
          new Map([
            [
              'rule',
              { by: account.name, before: before && { value: before }, after: { value: rule } },
            ],
          ]),
        )
      : undefined,
  };
}

const OWN_KEYS = '/console/account/keys';

const keyRow = (key: ConsoleKey): KeyRow => ({
  remove: `${OWN_KEYS}/${key.id.toString('base64url')}/_remove`,
  name: key.name,
  domain: key.domain,
  isEnough: isUvInitialized(key),
  synced: key.backupEligible,
  createdAt: isoOf(key.createdAt),
  usedAt: key.usedAt === null ? undefined : isoOf(key.usedAt),
});
