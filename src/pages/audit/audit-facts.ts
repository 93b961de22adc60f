import type { AuditDetail } from '../../audit/audit-entry.js';
import { partsOfDetail } from '../../audit/differences.js';
import { isRefusalFact } from '../../audit/refusal-facts.js';
import type { BannerChange } from '../../platform/pages/banners.js';
import { textsOf } from '../../platform/pages/languages/languages.js';
import { dayValue, phrase, type Text } from '../../platform/pages/languages/phrase.js';
import { isObject } from '../../platform/validation/field-validator.js';
import type { NameOfTenant } from '../../tenancy/tenancy.service.js';
import { writtenInWords } from '../tenancy/policy-words.js';
import { POLICY_FIELDS, labelOf, type NameOfModel } from '../tenancy/policy-fields.js';

type Fact = AuditDetail[string];

/** How the page calls models and tenants; without them, it shows their AAGUIDs and names. */
export interface AuditNames {
  readonly nameOfModel?: NameOfModel | undefined;
  readonly nameOfTenant?: NameOfTenant | undefined;
}

/** Between the members of a list in a value. */
const LIST = ', ';

const POLICY = 'policy.';
/** The number of characters of a truncated value, which is no longer valid JSON. */
const SHOWN_OF_CUT = 100;

const MOMENT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

const NOT_SET = phrase('audit:notSet');
const ALL_TENANTS = phrase('audit:allTenants');
const NAMED = new Set(textsOf('en', 'audit').map(([key]) => key));

/** The text of a code in the catalogue; otherwise the code itself. */
export const inWords = (group: 'actions' | 'facts' | 'roles' | 'values', code: string): Text =>
  NAMED.has(`${group}.${code}`) ? phrase(`audit:${group}.${code}`) : code;

const fieldOf = (fact: string) => POLICY_FIELDS.find(({ name }) => POLICY + name === fact);

function nameOf(fact: string): Text {
  const field = fieldOf(fact);
  return field ? labelOf(field) : inWords('facts', fact);
}

/** An account without a limit may access all tenants. */
const emptyValueOf = (fact: string): Text => (fact === 'tenants' ? ALL_TENANTS : NOT_SET);

function valueOf(fact: string, value: Fact, { nameOfTenant = String }: AuditNames = {}): Text {
  if (value === '') return emptyValueOf(fact);
  const text = String(value);
  if (fact === 'tenants') return text.split(LIST).map(nameOfTenant).join(LIST);
  if (MOMENT.test(text)) return phrase('audit:moment', { at: Date.parse(text) });
  return inWords(fact === 'role' ? 'roles' : 'values', text);
}

/** The texts within a value, for example a list of origins. */
function textsIn(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  return typeof value === 'object' ? Object.values(value).flatMap(textsIn) : [String(value)];
}

/** A value of a change, in the JSON that `differencesBetween` wrote. */
function changedValue(name: string, json: Fact, names: AuditNames): Text {
  if (json === '') return emptyValueOf(name);
  let value: unknown;
  try {
    value = JSON.parse(String(json));
  } catch {
    const text = String(json);
    return text.length > SHOWN_OF_CUT ? `${text.slice(0, SHOWN_OF_CUT)}…` : valueOf(name, text);
  }
  const field = fieldOf(name);
  if (field) return writtenInWords(field, value, names.nameOfModel) ?? NOT_SET;
  if (name === 'adoptionTarget' && isObject(value)) {
    const share = phrase('layout:percent', { percent: Number(value['share']) });
    const by = dayValue(String(value['by']));
    const users = value['expectedUsers'];
    return users === undefined
      ? phrase('audit:target', { share, by })
      : phrase('audit:targetOf', { share, by, users: Number(users) });
  }
  return valueOf(name, textsIn(value).join(LIST), names);
}

/** The changes in a row. */
export const auditChanges = (detail: AuditDetail, names: AuditNames = {}): BannerChange[] =>
  partsOfDetail(detail).changes.map(({ name, before, after }) => ({
    what: nameOf(name),
    before: changedValue(name, before, names),
    after: changedValue(name, after, names),
  }));

/** A fact in a row; a key with a name also has its credential ID. */
interface ShownFact {
  readonly what: Text;
  readonly value: Text;
  readonly id?: string;
}

/** The facts in a row besides its changes. The page shows the reason of a refusal beside its result. */
export function shownFacts({ deviceName, ...detail }: AuditDetail, names: AuditNames): ShownFact[] {
  return partsOfDetail(detail)
    .facts.filter(([name]) => !isRefusalFact(name))
    .map(([name, value]) =>
      name === 'device' && deviceName !== undefined && deviceName !== value
        ? { what: nameOf(name), value: String(deviceName), id: String(value) }
        : { what: nameOf(name), value: valueOf(name, value, names) },
    );
}
