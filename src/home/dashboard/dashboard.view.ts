import { actionOf } from '../../audit/pages/audit.view.js';
import type { AuditRow } from '../../audit/audit-row.entity.js';
import type { DayUsage } from '../../billing/usage/usage-days.js';
import { NO_HOLDINGS, type Holdings } from '../../users/credentials/inventory.js';
import { phrase, type Phrase, type Text } from '../../platform/pages/languages/phrase.js';
import type { Warning } from '../../platform/pages/page.view.js';
import type { Account } from '../../platform/access/accounts/account.js';
import { may } from '../../platform/access/permissions.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import {
  MODEL_NOT_REPORTED,
  UNKNOWN,
  byName,
  ceremonies,
  eventCountOf,
  type ModelRow,
  type RefusalRow,
} from './figures.js';
import type { EventCount } from '../../events/hourly-event-counts.js';

/** The maximum number of rows in a table; the files contain all rows. */
const SHOWN = 8;
const SHOWN_PARTIES = 50;

/** A model, with its name on the page. */
interface NamedModel extends Omit<ModelRow, 'model'> {
  readonly model: Text;
}

interface DashboardFigures {
  readonly account: Account;
  readonly warnings: readonly Warning[];
  readonly held: readonly { readonly rp: RelyingParty; readonly held: Holdings | undefined }[];
  readonly day: readonly EventCount[];
  readonly days: readonly DayUsage[];
  readonly refusals: readonly RefusalRow[] | undefined;
  readonly models: readonly ModelRow[] | undefined;
  /** The number of users with no key whose user verification counts; `undefined` while they are being counted. */
  readonly unverified: number | undefined;
  readonly audit: readonly AuditRow[] | undefined;
  readonly sealed: boolean;
}

const written = (count: number): Phrase => phrase('dashboard:figures.count', { count });

export function dashboardPage(gathered: DashboardFigures) {
  const { warnings, days, refusals, models, audit, held } = gathered;
  return {
    title: phrase('dashboard:title'),
    texts: 'dashboard',
    nav: { dashboard: true },
    styles: ['/assets/uplot/uPlot.min.css', '/static/css/dashboard.css'],
    scripts: ['/static/js/dashboard.js'],
    warnings,
    figures: figuresOf(gathered),
    days,
    quiet: days.every(
      ({ registrations, authentications }) => registrations + authentications === 0,
    ),
    /** `undefined` while it is being counted. */
    refusals: refusals && barsOf(refusals),
    models: models && barsOf(byName(models).map(named)),
    audit: audit?.map(changeOf),
    /** Whether a key seals the audit trail. */
    sealed: gathered.sealed,
    relyingParties: held.slice(0, SHOWN_PARTIES).map(({ rp, held: own }) => partyOf(rp, own)),
    moreParties: Math.max(held.length - SHOWN_PARTIES, 0),
  };
}

function figuresOf({ account, held, day, unverified }: DashboardFigures) {
  const seesUsers = may(account, 'users:read');
  const sum = (name: keyof Holdings) =>
    held.reduce((total, { held: own = NO_HOLDINGS }) => total + own[name], 0);
  const [enabled, disabled] = [sum('enabled'), sum('disabled')];
  const { refused, all } = ceremonies(day);
  const users = seesUsers ? '/userapi' : undefined;
  return [
    {
      icon: 'user',
      label: phrase('dashboard:users'),
      value: written(sum('users')),
      note: unverified
        ? phrase('dashboard:figures.unverified', { count: held.length, unverified })
        : phrase('dashboard:figures.at', { count: held.length }),
      address: users,
    },
    {
      icon: 'key',
      label: phrase('dashboard:keys'),
      value: written(enabled + disabled),
      note: phrase('dashboard:figures.states', { enabled, disabled }),
      address: users && (disabled > 0 ? `${users}?state=disabled` : users),
    },
    {
      icon: 'enter',
      label: phrase('dashboard:figures.signIns'),
      value: written(eventCountOf(day, 'authentication')),
      note: phrase('dashboard:figures.registrations', { count: eventCountOf(day, 'registration') }),
      address: '#days',
    },
    {
      icon: 'warning',
      label: phrase('dashboard:figures.refused'),
      value:
        all === 0 ? '–' : phrase('dashboard:figures.percent', { percent: (refused / all) * 100 }),
      note: phrase('dashboard:figures.of', { refused, all }),
      address: seesUsers ? '/userapi/explain' : '#refusals',
    },
  ];
}

/** A model without a name in the metadata has the same name as in the file, which is in English. */
function named(row: ModelRow): NamedModel {
  const phrases: Readonly<Record<string, Phrase>> = {
    [MODEL_NOT_REPORTED]: phrase('dashboard:models.notTold'),
    [UNKNOWN]: phrase('dashboard:models.unknown'),
  };
  return { ...row, model: phrases[row.model] ?? row.model };
}

/** Rows with a bar each; the longest bar has the length `most`. */
function barsOf<Row extends { readonly n: number }>(rows: readonly Row[]) {
  return {
    most: Math.max(...rows.map(({ n }) => n), 1),
    rows: rows.slice(0, SHOWN),
    more: Math.max(rows.length - SHOWN, 0),
  };
}

function changeOf({ at, account, action, target, result, requestId }: AuditRow) {
  return {
    at: new Date(at).toISOString(),
    account: account.toString('utf8'),
    target: target?.toString('utf8'),
    done: result === 'ok',
    action: actionOf(action),
    requestId,
  };
}

function partyOf({ domain, name, tenant, origins }: RelyingParty, held: Holdings = NO_HOLDINGS) {
  return {
    domain,
    name,
    tenant,
    origins,
    ...held,
  };
}
