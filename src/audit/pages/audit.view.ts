import { AUDIT_ACTIONS } from '../actions.js';
import { csvOf, type CsvDialect } from '../../platform/pages/csv.js';
import { plainText } from '../../platform/pages/languages/languages.js';
import { phrase, type Text } from '../../platform/pages/languages/phrase.js';
import type { PageView } from '../../platform/pages/page.view.js';
import { CATALOGUE, type Code } from '../../platform/errors/catalogue.js';
import { withoutValues, type Problem } from '../../platform/errors/reasons.js';
import type { AuditAnswer, AuditView } from '../audit.answer.js';
import type { AuditParameters } from '../audit-query.js';
import { refusalIn } from '../refusal-facts.js';
import type { NameOfModel } from '../../tenancy/pages/policy-fields.js';
import { auditChanges, factsOf, inWords } from './audit-facts.js';

/** The answer, with additional data for the page. */
export interface AuditPageAnswer extends AuditAnswer {
  readonly nameOfModel?: NameOfModel;
}

const CSV_COLUMNS = [
  'seq',
  'at',
  'account',
  'role',
  'address',
  'action',
  'tenant',
  'relyingParty',
  'target',
  'result',
  'code',
  'requestId',
  'detail',
  'hash',
] as const satisfies readonly (keyof AuditView)[];

/** For a spreadsheet, the action is in words. */
export const auditCsv = ({ entries }: AuditAnswer, dialect?: CsvDialect): string =>
  csvOf(
    CSV_COLUMNS,
    entries.map((entry) =>
      CSV_COLUMNS.map((column) => {
        if (column === 'action') return actionIn(entry.action, dialect);
        const value = entry[column] ?? '';
        return typeof value === 'object' ? JSON.stringify(value) : value;
      }),
    ),
    dialect,
  );

/** For a spreadsheet, the action in its language. */
function actionIn(action: string, dialect?: CsvDialect): string {
  const words = actionOf(action);
  if (dialect?.language === undefined || typeof words === 'string') return action;
  return plainText(dialect.language, words);
}

/** Why a change was refused; `undefined` for a reason or code of earlier versions. */
function whyOf({ code, detail }: AuditView): Problem | undefined {
  const refusal = refusalIn(detail);
  if (refusal) return refusal;
  if (code === null || !(code in CATALOGUE)) return undefined;
  return withoutValues(CATALOGUE[code as Code][1]);
}

const searchOf = (parameters: AuditParameters): string =>
  `?${new URLSearchParams(parameters as Record<string, string>)}`;

/** `2026-11-21 08:48:35`: the page says once that times are UTC. */
const readable = (iso: string) => iso.slice(0, 19).replace('T', ' ');

/** The action in words; the code of an action of earlier versions. */
export const actionOf = (action: string): Text => inWords('actions', action.replaceAll('.', '-'));

/** Actions whose target is the AAGUID of a model. */
const ON_MODEL = /^(?:model|aaguid)\./;

/** The target of the action; for a known model its name, with the AAGUID. */
function targetOf(entry: AuditView, nameOfModel?: NameOfModel) {
  const { action, target, relyingParty, tenant } = entry;
  const model =
    target !== null && ON_MODEL.test(action) ? nameOfModel?.(target.toLowerCase()) : null;
  return model ? { on: model, aaguid: target } : { on: target ?? relyingParty ?? tenant };
}

/** The page: the submitted form, the rows, and links to older ones and to the file. */
export function auditPage(answer: AuditPageAnswer, parameters: AuditParameters) {
  const { entries, next, sealedBy, nameOfModel } = answer;
  const { cursor, limit, ...filters } = parameters;
  const sized = { ...filters, ...(limit === undefined ? {} : { limit }) };
  return {
    title: phrase('audit:title'),
    texts: 'audit',
    nav: { audit: true },
    styles: ['/static/css/audit.css'],
    sealedBy,
    filters,
    filtered: Object.keys(filters).length > 0,
    results: (['ok', 'refused'] as const).map((value) => ({
      value,
      label: phrase(`audit:results.${value}`),
      selected: value === filters.result,
    })),
    actions: AUDIT_ACTIONS.map((value) => ({
      value,
      label: actionOf(value),
      selected: value === filters.action,
    })),
    entries: entries.map((entry) => ({
      ...entry,
      time: readable(entry.at),
      role: inWords('roles', entry.role),
      deed: actionOf(entry.action),
      why: whyOf(entry),
      done: entry.result === 'ok',
      ...targetOf(entry, nameOfModel),
      facts: factsOf(entry.detail),
      changes: auditChanges(entry.detail, nameOfModel),
      byAccount: searchOf({ account: entry.account }),
      byAction: searchOf({ action: entry.action }),
    })),
    newest: cursor === undefined ? undefined : searchOf(sized),
    older: next === null ? undefined : searchOf({ ...sized, cursor: next }),
    file: searchOf({ ...filters, limit: '1000' }),
  } satisfies PageView & Record<string, unknown>;
}
