import { may } from '../../platform/access/permissions.js';
import type { Account } from '../../platform/access/accounts/account.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import type { StatusReport } from '../../webauthn/metadata/status.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { isBlocked } from './model-block.js';
import { isUnderWay, type JobCaller, type SeenJob } from './model-jobs.js';
import type { ModelAnswer, ModelJobPart, ModelJobView } from './model.answer.js';
import type { ModelFigures } from './model-report.js';
import { statusText } from './status-text.js';

interface KnownModel {
  readonly aaguid: string;
  readonly name: string | null;
  readonly icon: string | null;
  readonly against: string | undefined;
  readonly reports: readonly StatusReport[];
  /** Whether the server has metadata at all. */
  readonly hasMetadata: boolean;
  readonly figures: ModelFigures;
  readonly relyingParties: readonly RelyingParty[];
  readonly jobs: readonly SeenJob[];
  readonly account: Account;
}

const COUNTED = [
  'total',
  'looked',
  'disabledKeys',
  'disabledUsers',
  'enabledKeys',
  'enabledUsers',
] as const;
const SHOWN_JOBS = 5;

type Counts = Record<(typeof COUNTED)[number], number>;

/** The sums over the parts of a job. */
const countsOf = (parts: SeenJob['parts']): Counts =>
  Object.fromEntries(
    COUNTED.map((name) => [name, parts.reduce((sum, part) => sum + Number(part[name]), 0)]),
  ) as Counts;

export function jobView({ id, aaguid, startedAt, reason, state, parts }: SeenJob): ModelJobView {
  const caller = JSON.parse(parts[0]?.caller ?? '{}') as Partial<JobCaller>;
  return {
    id: id.toString('base64url'),
    aaguid,
    state,
    reason,
    account: caller.account ?? '',
    startedAt: new Date(startedAt).toISOString(),
    ...countsOf(parts),
    relyingParties: parts.map((part): ModelJobPart => ({
      relyingParty: part.relyingParty.domain,
      state: part.state,
      ...countsOf([part]),
    })),
  };
}

const dayOf = ({ effectiveDate }: StatusReport): string | null =>
  effectiveDate?.toISOString().slice(0, 10) ?? null;

const latestFirst = (reports: readonly StatusReport[]): StatusReport[] =>
  [...reports].sort((a, b) => ((dayOf(a) ?? '') < (dayOf(b) ?? '') ? 1 : -1));

/** The domains whose policies block the model, or those that do not. */
const domainsWhere = ({ relyingParties, aaguid }: KnownModel, blocked: boolean): string[] =>
  relyingParties.filter((rp) => isBlocked(rp, aaguid) === blocked).map(({ domain }) => domain);

export function modelAnswer(known: KnownModel): Omit<ModelAnswer, 'status' | 'errorMessage'> {
  const { aaguid, name, against, reports, figures, jobs } = known;
  return {
    aaguid,
    name,
    against: against ?? null,
    ...figures,
    statusReports: latestFirst(reports).map((report) => ({
      status: report.status,
      effectiveDate: dayOf(report),
    })),
    blockedAt: domainsWhere(known, true),
    jobs: jobs.map(jobView),
  };
}

export type ModelPage = ReturnType<typeof modelPage>;

export function modelPage(known: KnownModel) {
  const { aaguid, name, icon, against, reports, hasMetadata, figures, jobs, account } = known;
  const busy = jobs.some(({ state }) => isUnderWay(state));
  const rights = {
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
    reports: latestFirst(reports).map((report) => ({
      status: statusText(report.status),
      day: dayOf(report),
    })),
    people: may(account, 'users:read') ? `/userapi?model=${aaguid}` : undefined,
    blockedAt: domainsWhere(known, true),
    /** Relying parties that do not block it yet. */
    open: domainsWhere(known, false),
    jobs: jobs.slice(0, SHOWN_JOBS).map(rowOf),
    rights,
    mayAct: Object.values(rights).includes(true),
    /** Whether there are keys that no account has disabled. */
    toDisable: figures.open > 0 || !figures.complete,
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
