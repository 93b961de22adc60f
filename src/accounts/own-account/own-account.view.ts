import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
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
import { tenantsText } from '../account-permissions.js';
import { ConsoleAccounts } from '../console-accounts.js';
import { isUvInitialized, type ConsoleKey } from '../keys/console-key.entity.js';
import { ConsoleKeys } from '../keys/console-keys.js';
import { consoleHost } from '../keys/key-ceremony.js';
import type { ConsoleSession } from '../sessions/console-session.entity.js';
import { ConsoleSessions } from '../sessions/console-sessions.js';
import { ConsoleSignIn } from '../sign-in/console-sign-in.js';

const OWN_SESSIONS = '/console/account/sessions';
const OWN_KEYS = '/console/account/keys';

@Injectable()
export class OwnAccountPage {
  constructor(
    private readonly accounts: ConsoleAccounts,
    private readonly sessions: ConsoleSessions,
    private readonly keys: ConsoleKeys,
    private readonly signIn: ConsoleSignIn,
  ) {}

  /** @throws ApiError E0045R with the sign-in page, once the last sign-in is a quarter of an hour ago */
  async requireFresh(browser: Request, account: Account): Promise<void> {
    if (!(await this.sessions.isFresh(account))) throw await this.signIn.again(browser);
  }

  /** @param sent the form for which the page is shown again */
  async view(browser: Request, account: Account, sent?: RefusedForm) {
    const { name, role, session: current, pending } = account;
    const known = await this.accounts.find(name);
    const host = consoleHost(browser);
    const fresh = await this.sessions.isFresh(account);
    const options = host && fresh ? await this.keys.creationOptions(known, host) : undefined;
    const sessions = (await this.sessions.of(name)).map((row) =>
      sessionRow(row, { path: OWN_SESSIONS, current }),
    );
    return {
      title: phrase('console:account.title'),
      texts: 'console',
      styles: ['/static/css/users.css', '/static/css/tenants.css', '/static/css/console.css'],
      scripts: ['/static/js/console.js'],
      account,
      role: phrase(`console:roles.${role}`),
      tenants: tenantsText(account),
      /** The first required step of the account's owner. */
      first: pending && phrase(`console:account.first.${pending}`),
      passwordFirst: pending === 'password',
      sessions,
      /** The number of sessions in other browsers. */
      elsewhere: sessions.filter((row) => !row.current).length,
      keys: (await this.keys.of(name)).map(keyRow),
      ...ruleForm(known, sent),
      ways: {
        /** `false` if the server was called by an IP address, for which browsers create no keys. */
        possible: host !== undefined,
        fresh,
        /** Creation options for a new key, as JSON; `undefined` if none can be added. */
        options: options && JSON.stringify(options),
      },
      configured: known.configured,
      /** Why there is neither a password to change nor a rule to choose. */
      noPassword: known.password === '' ? problem('account.noPassword') : undefined,
      refused: sent !== undefined && !sent.isStale,
      faults: sent?.faults ?? {},
    };
  }
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
