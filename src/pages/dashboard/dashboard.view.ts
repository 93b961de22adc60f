import { actionOf } from '../audit/audit.view.js';
import type { AuditRow } from '../../audit/audit-row.entity.js';
import { NO_HOLDINGS, type Holdings } from '../../users/credentials/inventory.js';
import { phrase, type Phrase } from '../../platform/pages/languages/phrase.js';
import { may } from '../../platform/access/permissions.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import {
  MODEL_NOT_REPORTED,
  UNKNOWN,
  mergeModelsByName,
  ceremonyFigures,
  eventCountOf,
  type ModelRow,
} from './dashboard-counts.js';
import type { DashboardFigures } from './dashboard.service.js';

/** The maximum number of rows in a table; the files contain all rows. */
const SHOWN = 8;
const SHOWN_PARTIES = 50;

const written = (count: number): Phrase => phrase('dashboard:figures.count', { count });

export function dashboardPage(figures: DashboardFigures) {
  const { warnings, days, refusals, models, audit, sealed, parties } = figures;
  return {
    title: phrase('dashboard:title'),
    texts: 'dashboard',
    nav: { dashboard: true },
    styles: ['/assets/uplot/uPlot.min.css', '/static/css/dashboard.css'],
    scripts: ['/static/js/dashboard.js'],
    warnings,
    figures: figuresOf(figures),
    days,
    quiet: days.every(
      ({ registrations, authentications }) => registrations + authentications === 0,
    ),
    /** `undefined` while it is being counted. */
    refusals: refusals && barsOf(refusals),
    models: models && barsOf(mergeModelsByName(models).map(named)),
    audit: audit?.map(changeOf),
    sealed,
    relyingParties: parties
      .slice(0, SHOWN_PARTIES)
      .map(({ rp, holdings }) => partyOf(rp, holdings)),
    moreParties: Math.max(parties.length - SHOWN_PARTIES, 0),
  };
}

function figuresOf({ account, parties, day, unverified }: DashboardFigures) {
  const seesUsers = may(account, 'users:read');
  const sum = (name: keyof Holdings) =>
    parties.reduce((total, { holdings = NO_HOLDINGS }) => total + holdings[name], 0);
  const enabled = sum('enabled');
  const disabled = sum('disabled');
  const { refused, all } = ceremonyFigures(day);
  const users = seesUsers ? '/userapi' : undefined;
  return [
    {
      icon: 'user',
      label: phrase('dashboard:users'),
      value: written(sum('users')),
      note: unverified
        ? phrase('dashboard:figures.unverified', { count: parties.length, unverified })
        : phrase('dashboard:figures.at', { count: parties.length }),
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
function named(row: ModelRow) {
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

function changeOf({ at, account, action, result, requestId, ...on }: AuditRow) {
  return {
    at: new Date(at).toISOString(),
    account: account.toString('utf8'),
    target: (on.target ?? on.relyingParty ?? on.tenant)?.toString('utf8'),
    done: result === 'ok',
    action: actionOf(action),
    requestId,
  };
}

const partyOf = ({ domain, name, tenant, origins }: RelyingParty, holdings = NO_HOLDINGS) => ({
  domain,
  /** Shown only if it differs from the domain. */
  name: name === domain ? undefined : name,
  tenant,
  origins,
  ...holdings,
});
