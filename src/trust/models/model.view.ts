import { may } from '../../platform/access/permissions.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { statusText } from '../authenticator-models.js';
import { isUnderWay, type SeenJob } from './model-jobs.js';
import {
  dayOfStatus,
  domainsWhere,
  jobView,
  latestReportsFirst,
  type KnownModel,
} from './model.answer.js';

const SHOWN_JOBS = 5;

export type ModelPage = ReturnType<typeof modelPage>;

export function modelPage(known: KnownModel) {
  const { aaguid, name, icon, against, reports, hasMetadata, figures, jobs, account } = known;
  const busy = jobs.some(({ state }) => isUnderWay(state));
  const permissions = {
    keys: may(account, 'keys:change'),
    invite: may(account, 'tickets:issue'),
    block: may(account, 'policies:change'),
  };
  return {
    title: name ?? phrase('models:unknown'),
    texts: 'models',
    nav: { models: true },
    styles: ['/static/css/users.css'],
    scripts: busy ? ['/static/js/progress.js'] : [],
    name: name ?? phrase('models:unknown'),
    aaguid,
    icon,
    figures,
    busy,
    hasMetadata,
    against: against === undefined ? undefined : statusText(against),
    reports: latestReportsFirst(reports).map((report) => ({
      status: statusText(report.status),
      day: dayOfStatus(report),
    })),
    usersPage: may(account, 'users:read') ? `/userapi?model=${aaguid}` : undefined,
    blockedAt: domainsWhere(known, true),
    /** Relying parties that do not block it yet. */
    open: domainsWhere(known, false),
    jobs: jobs.slice(0, SHOWN_JOBS).map(rowOf),
    permissions,
    mayAct: Object.values(permissions).includes(true),
    /** Whether there are keys that no account has disabled. */
    hasKeysToDisable: figures.open > 0 || !figures.complete,
    address: `/userapi/aaguid/${aaguid}`,
    refresh: busy ? 2 : undefined,
  };
}

function rowOf(job: SeenJob) {
  const { id, state, total, looked, ...view } = jobView(job);
  const value = isUnderWay(state) ? Math.min(looked, total) : total;
  return {
    ...view,
    job: id,
    state: { [state]: true },
    undoable: state !== 'undone' && state !== 'undoing',
    heading: phrase(`models:job.states.${state}`),
    max: total,
    value,
    percent: total === 0 ? 100 : Math.floor((value / total) * 100),
  };
}
