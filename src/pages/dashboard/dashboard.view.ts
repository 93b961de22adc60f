import { actionOf } from '../audit/audit.view.js';
import type { AuditRow } from '../../audit/audit-row.entity.js';
import { NO_USERS_OR_KEYS } from '../../users/credentials/inventory.js';
import { phrase, type Phrase } from '../../platform/pages/languages/phrase.js';
import type { NameOfTenant } from '../../tenancy/tenancy.service.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import {
  MODEL_NOT_REPORTED,
  MODEL_UNKNOWN,
  mergeModelsByName,
  isRising,
  type ModelRow,
} from './dashboard-counts.js';
import type { DashboardFigures } from './dashboard.service.js';
import { tilesOf } from './figures.view.js';

/** The maximum number of rows in a table; the files contain all rows. */
const SHOWN = 8;
const SHOWN_PARTIES = 50;

export function dashboardPage(figures: DashboardFigures) {
  const { warnings, days, refusals, models, audit, sealed, parties, nameOfTenant } = figures;
  return {
    title: phrase('dashboard:title'),
    texts: 'dashboard',
    nav: { dashboard: true },
    styles: ['/assets/uplot/uPlot.min.css', '/static/css/dashboard.css'],
    libraries: ['/assets/uplot/uPlot.iife.min.js'],
    scripts: ['/static/js/dashboard.js'],
    warnings,
    figures: tilesOf(figures),
    days,
    quiet: days.every(
      ({ registrations, authentications }) => registrations + authentications === 0,
    ),
    /** `undefined` while it is being counted. */
    refusals: refusals && barsOf(refusals.map((row) => ({ ...row, isRising: isRising(row) }))),
    models: models && barsOf(mergeModelsByName(models).map(named)),
    audit: audit?.map((row) => changeOf(row, nameOfTenant)),
    sealed,
    relyingParties: parties
      .slice(0, SHOWN_PARTIES)
      .map(({ rp, holdings }) => partyOf(rp, nameOfTenant, holdings)),
    moreParties: Math.max(parties.length - SHOWN_PARTIES, 0),
  };
}

/** A model without a name in the metadata has the same name as in the file, which is in English. */
function named(row: ModelRow) {
  const phrases: Readonly<Record<string, Phrase>> = {
    [MODEL_NOT_REPORTED]: phrase('dashboard:models.notTold'),
    [MODEL_UNKNOWN]: phrase('dashboard:models.unknown'),
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

function changeOf(
  { at, account, action, result, requestId, tenant, ...on }: AuditRow,
  nameOfTenant: NameOfTenant,
) {
  const target = (on.target ?? on.relyingParty)?.toString('utf8');
  return {
    at: new Date(at).toISOString(),
    account: account.toString('utf8'),
    target: target ?? (tenant ? nameOfTenant(tenant.toString('utf8')) : undefined),
    done: result === 'ok',
    action: actionOf(action),
    requestId,
  };
}

const partyOf = (
  { domain, name, tenant, origins }: RelyingParty,
  nameOfTenant: NameOfTenant,
  holdings = NO_USERS_OR_KEYS,
) => ({
  domain,
  /** Shown only if it differs from the domain. */
  name: name === domain ? undefined : name,
  tenant: nameOfTenant(tenant),
  origins,
  ...holdings,
});
