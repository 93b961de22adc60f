import { AUDIT_ACTIONS } from '../../audit/audit-entry.js';
import { cellsOf, csvOf, type CsvColumns, type CsvDialect } from '../../platform/pages/csv.js';
import { plainText } from '../../platform/pages/languages/languages.js';
import {
  phrase,
  problemPhrase,
  type Phrase,
  type Text,
} from '../../platform/pages/languages/phrase.js';
import type { MatchCount } from '../../platform/common/turns/background-counts.js';
import type { PageView } from '../../platform/pages/page.view.js';
import { CATALOGUE, type Code } from '../../platform/errors/catalogue.js';
import { sentenceOf, withoutValues, type Problem } from '../../platform/errors/reasons.js';
import type { Account } from '../../platform/access/accounts/account.js';
import { may } from '../../platform/access/permissions.js';
import type { AuditAnswer, AuditView } from '../../audit/audit.answer.js';
import type { AuditParameters } from '../../audit/audit.dto.js';
import { refusalIn } from '../../audit/refusal-facts.js';
import type { NameOfModel } from '../tenancy/policy-fields.js';
import type { NameOfTenant } from '../../tenancy/tenancy.service.js';
import { auditChanges, shownFacts, inWords, type AuditNames } from './audit-facts.js';

/** The answer, with additional data for the page and the file; JSON omits functions, and absent members. */
export interface AuditPageAnswer extends AuditAnswer {
  readonly nameOfModel: NameOfModel;
  /** Only for the page: files contain the names that calls take. */
  readonly nameOfTenant?: NameOfTenant | undefined;
  /** The number of rows that match; only for the page. */
  readonly matches: MatchCount | undefined;
}

const columnsOf = (
  { nameOfModel }: AuditPageAnswer,
  dialect?: CsvDialect,
): CsvColumns<AuditView> => {
  const inLanguage = (text: Phrase, code: string) =>
    dialect?.language === undefined ? code : plainText(dialect.language, text);
  return {
    seq: ({ seq }) => seq,
    at: ({ at }) => at,
    account: ({ account }) => account,
    role: ({ role }) => role,
    address: ({ address }) => address,
    action: ({ action }) => {
      const words = actionOf(action);
      return typeof words === 'string' ? action : inLanguage(words, action);
    },
    tenant: ({ tenant }) => tenant ?? '',
    relyingParty: ({ relyingParty }) => relyingParty ?? '',
    target: (entry) => placeOrTargetOf(entry) ?? '',
    result: ({ result }) => result,
    code: ({ code }) => code ?? '',
    requestId: ({ requestId }) => requestId,
    detail: ({ detail }) => JSON.stringify(detail),
    hash: ({ hash }) => hash,
    reason: (entry) => {
      const why = whyOf(entry);
      return why ? inLanguage(problemPhrase(why), sentenceOf(why)) : '';
    },
    model: (entry) => modelOf(entry, nameOfModel) ?? '',
  };
};

/** For a spreadsheet, the action and the reason are in its language; for programs, the reason is in English. */
export function auditCsv(answer: AuditPageAnswer, dialect?: CsvDialect): string {
  const columns = columnsOf(answer, dialect);
  const rows = answer.entries.map((entry) => cellsOf(columns, entry));
  return csvOf(Object.keys(columns), rows, dialect);
}

/** Why a change was refused; `undefined` for a reason or code of earlier versions. */
function whyOf({ code, detail }: AuditView): Problem | undefined {
  const refusal = refusalIn(detail);
  if (refusal) return refusal;
  if (code === null || !(code in CATALOGUE)) return undefined;
  return withoutValues(CATALOGUE[code as Code][1]);
}

/** The query of the page with these filters. */
export const searchOf = (parameters: AuditParameters): string =>
  `?${new URLSearchParams(parameters as Record<string, string>)}`;

/** The action in words; the code of an action of earlier versions. */
export const actionOf = (action: string): Text => inWords('actions', action.replaceAll('.', '-'));

/** Actions whose target is the AAGUID of a model. */
const ON_MODEL = /^(?:model|aaguid)\./;

/** The target of the action, or else where it took place; `null` for this server. */
const placeOrTargetOf = ({ target, relyingParty, tenant }: AuditView): string | null =>
  target ?? relyingParty ?? tenant;

/** The name of the model that is the target; `null` for other targets and for an unknown model. */
const modelOf = ({ action, target }: AuditView, nameOfModel?: NameOfModel): string | null =>
  target !== null && ON_MODEL.test(action) ? (nameOfModel?.(target.toLowerCase()) ?? null) : null;

/** The target of the action; for a known model its name, with the AAGUID. */
function targetOf(entry: AuditView, { nameOfModel }: AuditNames) {
  const model = modelOf(entry, nameOfModel);
  return model === null ? { on: placeOrTargetOf(entry) } : { on: model, aaguid: entry.target };
}

/** @param shown the rows of the page, of which a count in progress may know fewer */
const countOf = ({ total, exact }: MatchCount, shown: number): Phrase =>
  exact
    ? phrase('audit:rows', { count: total })
    : phrase('audit:atLeast', { n: Math.max(total, shown) });

/** The page: the submitted form, the rows, and links to older ones and to the file. */
export function auditPage(
  answer: AuditPageAnswer,
  parameters: AuditParameters,
  account: Account | undefined,
) {
  const { next, sealedBy, matches, nameOfTenant } = answer;
  const entries = answer.entries.map(({ tenant, ...entry }) => ({
    ...entry,
    tenant: tenant && (nameOfTenant?.(tenant) ?? tenant),
  }));
  const { after, cursor, limit, ...filters } = parameters;
  const sized = { ...filters, ...(limit === undefined ? {} : { limit }) };
  return {
    title: phrase('audit:title'),
    texts: 'audit',
    nav: { audit: true },
    styles: ['/static/css/audit.css'],
    scripts: ['/static/js/days.js'],
    sealedBy,
    /** The trail covers all tenants. */
    mayVerify: account?.tenants === undefined,
    /** Whether the page shows the options that seal the trail: only an administrator of the server can set them. */
    maySeal:
      account !== undefined && account.tenants === undefined && may(account, 'accounts:change'),
    filters,
    filtered: Object.keys(filters).some((name) => name !== 'zone'),
    results: (['ok', 'refused'] as const).map((value) => ({
      value,
      label: phrase(`audit:results.${value}`),
      selected: value === filters.result,
    })),
    presets: (['today', 'yesterday', 'week', 'month'] as const).map((name) => ({
      name,
      text: phrase(`audit:presets.${name}`),
    })),
    actions: AUDIT_ACTIONS.map((value) => ({
      value,
      label: actionOf(value),
      selected: value === filters.action,
    })),
    count: matches && countOf(matches, entries.length),
    entries: entries.map((entry) => ({
      ...entry,
      role: inWords('roles', entry.role),
      deed: actionOf(entry.action),
      why: whyOf(entry),
      done: entry.result === 'ok',
      ...targetOf(entry, answer),
      facts: shownFacts(entry.detail, answer),
      changes: auditChanges(entry.detail, answer),
      byAccount: searchOf({ account: entry.account }),
      byAction: searchOf({ action: entry.action }),
    })),
    search: searchOf(sized),
    newest: cursor === undefined ? undefined : searchOf(sized),
    older: next === null || after !== undefined ? undefined : searchOf({ ...sized, cursor: next }),
    file: searchOf({ ...filters, limit: '1000' }),
  } satisfies PageView & Record<string, unknown>;
}
