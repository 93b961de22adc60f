import { may } from '../../platform/access/permissions.js';
import type { Account } from '../../platform/access/accounts/account.js';
import { phrase, ruleLabel, type Text } from '../../platform/pages/languages/phrase.js';
import type { FindingRow } from '../../trust/findings/finding.statements.js';
import { statusText } from '../../trust/authenticator-models.js';
import { credentialIdText } from '../../users/user-rows.js';
import { aaguidText } from '../../webauthn/aaguid.js';
import type { SetupFinding } from '../../health/setup/setup-finding.js';
import { isOfReport } from '../../trust/findings/evaluation/next-key-state.js';
import type { BrokenRule } from '../../trust/findings/key-findings.js';
import type { CopiedKey } from './copied-keys.js';
import { decisionOf } from './decision.view.js';
import type { CopiedCase, RuleCase } from './key-cases.js';
import type { Inbox } from './inbox.service.js';

const SHOWN_COPIED = 10;

const COMMON = {
  texts: 'inbox',
  nav: { findings: true },
  styles: ['/static/css/users.css'],
} as const;

const queryOf = (values: Readonly<Record<string, string>>): string =>
  `?${new URLSearchParams(values).toString()}`;

const userOf = (name: string, displayName: string | undefined, domain: string) => ({
  /** `undefined` if it equals the name. */
  displayName: displayName === name ? undefined : displayName,
  name,
  domain,
  address: `/userapi/user${queryOf({ name, rp: domain })}`,
});

/** The page that helps with a finding about the server, and the label of its button, by the finding's name. */
const HELP: Readonly<Record<string, readonly [address: string, action: string]>> = {
  'no-metadata': ['/userapi/mds', 'metadata'],
  'metadata-overdue': ['/userapi/mds', 'metadata'],
  'source-failed': ['/userapi/mds', 'sources'],
  'unproved-models': ['/tenants', 'anchors'],
  'open-registration': ['/tenants', 'registration'],
  'no-relying-party': ['/tenants', 'party'],
  'open-origins': ['/tenants', 'origins'],
  'other-origins': ['/tenants', 'origins'],
  'foreign-audiences': ['/tenants', 'audiences'],
};
const OTHER_HELP = ['/status', 'status'] as const;

export function inboxPage(inbox: Inbox, account: Account) {
  const { isPast, copied, refusedModels, rules, webhooks, setup } = inbox;
  const shown = copied.slice(0, SHOWN_COPIED);
  const table = copiedKeys(shown, shown.map(decisionOnKey));
  const permissions = { keys: may(account, 'keys:change') };
  return {
    ...COMMON,
    title: phrase('inbox:title'),
    isPast,
    copied: { ...table, users: usersOf(copied) },
    moreCopied:
      copied.length > SHOWN_COPIED ? `/findings/keys${queryOf({ kind: 'copied' })}` : undefined,
    revoked: refusedModels.map(({ against, places, ...model }) => {
      const { aaguid, figures } = model;
      const name = model.name ?? phrase('models:unknown');
      return {
        ...model,
        decision: decisionOf({ kind: 'model', subject: aaguid, about: name }, places),
        name,
        against: statusText(against),
        registrable: places
          .filter(({ isRegistrable }) => isRegistrable)
          .map(({ relyingParty }) => relyingParty.domain),
        // If not all keys were examined, the model's page shows their number.
        disable: permissions.keys && figures.complete ? figures.open : 0,
        address: `/userapi/aaguid/${aaguid}`,
      };
    }),
    reported: byRule(rules.filter(isOfReport), isPast)[0],
    rules: byRule(
      rules.filter((rule) => !isOfReport(rule)),
      isPast,
    ),
    webhooks: webhooks.map(({ tenant, ...counts }) => ({
      tenant: tenant?.displayName,
      ...counts,
      count: counts.failing + counts.givenUp,
      address: `/tenants/${encodeURIComponent(tenant?.name ?? '')}/_webhooks`,
    })),
    setup: setup.map(setupRow),
    nothing: [table.rows, refusedModels, rules, webhooks, setup].every(
      ({ length }) => length === 0,
    ),
    permissions,
    me: account.name,
  };
}

const usersOf = (keys: readonly CopiedKey[]): number =>
  new Set(keys.map(({ username, relyingParty }) => `${relyingParty.domain}/${username}`)).size;

/** Copied keys, and the values for the button that disables the keys on the page. */
function copiedKeys(
  keys: readonly CopiedKey[],
  decisions: readonly ReturnType<typeof decisionOnKey>[] = [],
) {
  const rows = keys.map((key, n) => ({ ...copiedRow(key), decision: decisions[n] }));
  const byUser = new Map<string, Set<string>>();
  for (const { enabled, key, domain, name } of rows) {
    if (!enabled || key === undefined) continue;
    const user = `${domain}/${name}`;
    byUser.set(user, (byUser.get(user) ?? new Set()).add(key));
  }
  const users = [...byUser].map(([user, own]) => ({ user, keys: [...own].join(',') }));
  const count = [...byUser.values()].reduce((total, { size }) => total + size, 0);
  const text = phrase('inbox:copied.disable', { count });
  // A single key needs no button of its own beside that for all.
  return { rows, disable: { users, text, areMany: count > 1 } };
}

const decisionOnKey = (one: CopiedCase) =>
  one.key &&
  decisionOf(
    {
      kind: 'copied',
      subject: credentialIdText(one.key),
      about: `${one.username}, ${one.relyingParty.domain}`,
    },
    [one],
  );

function copiedRow({ username, displayName, relyingParty, at, key }: CopiedKey) {
  return {
    ...userOf(username, displayName, relyingParty.domain),
    at: new Date(at).toISOString(),
    label: key?.deviceName,
    /** The credential ID, for the form that disables the key. */
    key: key && credentialIdText(key),
    enabled: key?.enabled ?? false,
  };
}

/**
 * The rules with the most keys first, each with its relying parties.
 *
 * @param isPast whether all keys count, instead of the open ones
 */
function byRule(rules: readonly RuleCase[], isPast: boolean) {
  const countsOf = (rule: BrokenRule) => (isPast ? rule : rule.open);
  const names = [...new Set(rules.map(({ rule }) => rule))];
  const sums = names.map((rule) => {
    const places = rules.filter((one) => one.rule === rule);
    const sum = (name: 'keys' | 'users') =>
      places.reduce((total, place) => total + countsOf(place)[name], 0);
    return {
      rule: ruleLabel(rule),
      keys: sum('keys'),
      users: sum('users'),
      more: places.some(({ more }) => more),
      decision: decisionOf({ kind: 'rule', subject: rule, about: ruleLabel(rule) }, places),
      places: places.map(({ relyingParty: { domain }, more, ...place }) => ({
        domain,
        keys: isPast ? place.keys : place.open.keys,
        more,
        address: `/findings/keys${queryOf({ kind: 'rule', rule, rp: domain })}`,
      })),
    };
  });
  return sums.sort((a, b) => b.keys - a.keys);
}

function setupRow({ name, title, text, mend, urgent }: SetupFinding) {
  const [address, action] = HELP[name] ?? OTHER_HELP;
  return { title, text, mend, urgent, address, action: phrase(`inbox:setup.do.${action}`) };
}

interface Paged {
  readonly account: Account;
  readonly first: boolean;
  readonly next: string | undefined;
}

/** The parts that all pages of keys have; `address` is the query of the first page. */
const pageOf = (address: Readonly<Record<string, string>>, { account, first, next }: Paged) => ({
  ...COMMON,
  first: first ? undefined : `/findings/keys${queryOf(address)}`,
  next: next && `/findings/keys${queryOf({ ...address, cursor: next })}`,
  permissions: { keys: may(account, 'keys:change') },
});

export function ruleKeysPage(
  { rule, relyingParty: { domain }, ...count }: BrokenRule,
  rows: readonly FindingRow[],
  nameOf: (aaguid: string) => string | null,
  paged: Paged,
) {
  const texts = isOfReport({ rule }) ? 'reported' : 'rules';
  return {
    ...pageOf({ kind: 'rule', rule, rp: domain }, paged),
    title: ruleLabel(rule),
    rule: ruleLabel(rule),
    lead: phrase(`inbox:${texts}.leadAt`),
    none: phrase(`inbox:${texts}.none`),
    count,
    file: `/findings/keys.csv${queryOf({ rule, rp: domain, format: 'spreadsheet' })}`,
    domain,
    keys: rows.map((row) => keyRow(row, domain, nameOf)),
  };
}

export const copiedKeysPage = (keys: readonly CopiedKey[], paged: Paged) => ({
  ...pageOf({ kind: 'copied' }, paged),
  title: phrase('inbox:copied.heading'),
  copied: copiedKeys(keys),
});

function keyRow(row: FindingRow, domain: string, nameOf: (aaguid: string) => string | null) {
  const aaguid = aaguidText(row.aaguid);
  const model: Text = nameOf(aaguid) ?? phrase('models:unknown');
  return {
    ...userOf(row.username.toString('utf8'), row.displayName, domain),
    label: row.deviceName,
    model,
    modelPage: `/userapi/aaguid/${aaguid}`,
    since: new Date(row.foundAt).toISOString(),
    enabled: Boolean(row.enabled),
    key: credentialIdText(row),
  };
}
