import { isUnderWay } from '../../batches/batches.js';
import type { Account } from '../../platform/access/accounts/account.js';
import { may } from '../../platform/access/permissions.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { statusText } from '../authenticator-models.js';
import type { ModelAnswer, ModelJobView } from './model.answer.js';

const SHOWN_JOBS = 5;

export type ModelPage = ReturnType<typeof modelPage>;

interface ModelSurroundings {
  readonly icon: string | null;
  /** Whether the server has metadata at all. */
  readonly hasMetadata: boolean;
  readonly account: Account;
  /** The domains of the relying parties that the account may see. */
  readonly domains: readonly string[];
}

export function modelPage(
  answer: Omit<ModelAnswer, 'status' | 'errorMessage'>,
  { icon, hasMetadata, account, domains }: ModelSurroundings,
) {
  const { aaguid, name, against, blockedAt, jobs } = answer;
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
    figures: answer,
    busy,
    hasMetadata,
    against: against === null ? undefined : statusText(against),
    reports: answer.statusReports.map(({ status, effectiveDate }) => ({
      status: statusText(status),
      day: effectiveDate,
    })),
    usersPage: may(account, 'users:read') ? `/userapi?model=${aaguid}` : undefined,
    blockedAt,
    /** Relying parties that do not block it yet. */
    open: domains.filter((domain) => !blockedAt.includes(domain)),
    jobs: jobs.slice(0, SHOWN_JOBS).map(rowOf),
    permissions,
    mayAct: Object.values(permissions).includes(true),
    /** Whether there are keys that no account has disabled. */
    hasKeysToDisable: answer.open > 0 || !answer.complete,
    address: `/userapi/aaguid/${aaguid}`,
    refresh: busy ? 2 : undefined,
  };
}

function rowOf({ id, state, total, looked, ...view }: ModelJobView) {
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
