import { problem, type Problem } from '../../platform/errors/reasons.js';
import {
  POLICY_MEMBERS,
  policyProblem,
  type RelyingPartyPolicy,
} from '../../tenancy/policy/policy.js';
import { isOneOf } from '../../platform/validation/decorators.js';
import { isObject, parsedJson } from '../../platform/validation/field-validator.js';
import type { Faults } from '../../platform/validation/dto.pipe.js';
import { nonEmptyLines, textIn, textsIn } from './form.js';
import { MODEL_MEMBERS, POLICY_FIELDS, addField, type PolicyField } from './policy-fields.js';

export interface EnteredMember {
  /** Empty for a setting, and for a rule that is not set. */
  readonly mode: string;
  readonly values: readonly string[];
  /** When the rule applies; `from` is the first day on which it applies to sign-ins. */
  readonly when?: string;
  readonly from?: string;
}

export type EnteredPolicy = ReadonlyMap<string, EnteredMember>;

/** A member that is not set. */
export const NOTHING_ENTERED: EnteredMember = { mode: '', values: [] };
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

export const modeField = (name: string): string => `${name}.mode`;
/**
 * The value of "Remove" in the mode of a rule that the page shows as set: it lifts the rule, although the form still
 * contains its values. A rule that was not set has no such value, so a form that is sent twice lifts nothing.
 */
export const LIFTED_MODE = 'none';
/** The names of the fields for when a rule applies, and for its first day at sign-ins. */
export const whenField = (name: string): string => `${name}.when`;
export const fromField = (name: string): string => `${name}.from`;

/** The form's first values for a stored policy. */
export function enteredOf(policy: RelyingPartyPolicy): EnteredPolicy {
  return new Map(
    POLICY_FIELDS.map((field) => [field.name, enteredMember(field, policy[field.name])]),
  );
}

/** The form's first values for a member of a policy. */
export const enteredMember = (field: PolicyField, written: unknown): EnteredMember => ({
  ...entered(field, written),
  ...phaseOf(written),
});

function entered({ name, kind }: PolicyField, written: unknown): EnteredMember {
  if (written === undefined) return NOTHING_ENTERED;
  if (name === 'trust') return enteredTrust(written);
  if (name === 'status' && isObject(written)) {
    const { mode = 'enforce', ...rest } = written;
    const verdicts = Object.entries(rest).filter(([name]) => !['when', 'from'].includes(name));
    const values = verdicts.map(([status, verdict]) => `${status}: ${verdict}`);
    return { mode: String(mode), values };
  }
  // The form of policies that were stored before modes existed.
  if (name === 'counter' && written === 'warn') return { mode: 'report', values: ['reject'] };
  if (kind === 'json') return enteredJson(written);
  const value = isObject(written) ? (written['list'] ?? written['value']) : written;
  const values = Array.isArray(value) ? value.map(String) : [String(value)];
  return { mode: modeOf(written) ?? 'enforce', values };
}

const enteredJson = (written: unknown): EnteredMember =>
  Array.isArray(written) && written.length === 0
    ? NOTHING_ENTERED
    : { mode: '', values: [JSON.stringify(written, null, 2)] };

/** Earlier policies store the mode alone, without values. */
function enteredTrust(written: unknown): EnteredMember {
  if (isOneOf(POLICY_MEMBERS.trust.field.values ?? [], written))
    return { mode: 'enforce', values: [String(written)] };
  const value = isObject(written) ? written['value'] : undefined;
  return { mode: modeOf(written) ?? String(written), values: [String(value ?? 'all')] };
}

const modeOf = (written: unknown): string | undefined =>
  isObject(written) ? String(written['mode']) : undefined;

/** When a rule applies, and its first day at sign-ins. */
function phaseOf(written: unknown): Pick<EnteredMember, 'when' | 'from'> {
  if (!isObject(written) || written['when'] !== 'both') return {};
  const { from } = written;
  return { when: 'both', ...(typeof from === 'string' && from !== '' && { from }) };
}

/** The values of a submitted form. */
export function enteredIn(body: unknown): EnteredPolicy {
  return new Map(
    POLICY_FIELDS.map((field) => {
      const { name } = field;
      if (textIn(body, modeField(name)) === LIFTED_MODE) return [name, NOTHING_ENTERED];
      const from = textIn(body, fromField(name));
      // Only sign-ins have a first day, so a day implies sign-ins.
      const when = from === '' ? textIn(body, whenField(name)) : 'both';
      const phase = phaseOf({ when, from });
      const values = valuesIn(body, field);
      const mode = textIn(body, modeField(name)) || usualMode(name, values);
      return [name, { mode, values, ...phase }];
    }),
  );
}

/** Who chooses who may register means that it applies; a rule on keys may only report. */
const usualMode = (name: string, values: readonly string[]): string =>
  name === 'registration' && values.length > 0 ? 'enforce' : '';

function valuesIn(body: unknown, { name, kind }: PolicyField): readonly string[] {
  if (name === 'anchors') return anchorsIn(textIn(body, name));
  if (kind === 'json') return [textIn(body, name)].filter((text) => text !== '');
  if (kind === 'verdicts') return textsIn(body, name).flatMap(nonEmptyLines);
  if (kind !== 'lines') return textsIn(body, name);
  const lines = nonEmptyLines(textIn(body, name));
  // Adds the ticked models to the lines.
  return MODEL_MEMBERS.includes(name)
    ? [...new Set([...lines, ...textsIn(body, addField(name))])]
    : lines;
}

/** The certificates, one by one; text outside a certificate becomes one more value, which is refused. */
function anchorsIn(text: string): readonly string[] {
  const rest = text.replace(CERTIFICATE, '').trim();
  return [...(text.match(CERTIFICATE) ?? []), ...(rest === '' ? [] : [rest])];
}

export function policyOf(form: EnteredPolicy): { policy: RelyingPartyPolicy; faults: Faults } {
  const policy: Record<string, unknown> = {};
  const faults: Record<string, Problem> = {};
  for (const field of POLICY_FIELDS) {
    const { name, kind, hasMode, hint } = field;
    const entered = form.get(name) ?? NOTHING_ENTERED;
    if (hasMode && lacksMode(entered)) {
      faults[name] = problem('form.chooseMode');
      continue;
    }
    const member = hasMode ? ruleOf(field, entered) : settingOf(field, entered);
    if (member === undefined) continue;
    policy[name] = member;
    const fault = policyProblem({ [name]: member });
    // Of a text with many values, only the sentence itself says which one is wrong.
    if (fault) faults[name] = kind === 'json' ? fault : hint;
  }
  return { policy, faults };
}

/** How to switch off rules that apply even if they are not set; other rules are omitted instead. */
const OFF: Readonly<Record<string, object>> = {
  status: { mode: 'off' },
  trust: { mode: 'off' },
  counter: { mode: 'off', value: 'reject' },
};

/** A value of a rule without a mode could mean that the rule is enforced, or that it is not set. */
const lacksMode = ({ mode, values, when }: EnteredMember): boolean =>
  mode === '' && (values.length > 0 || when !== undefined);

/** The rule for the policy; `undefined` if it is not set. */
function ruleOf({ name, kind }: PolicyField, entered: EnteredMember): unknown {
  const { mode, values, when, from } = entered;
  if (mode === '') return undefined;
  if (values.length === 0 && mode === 'off') return OFF[name];
  const phase = when === undefined ? {} : { when, ...(from !== undefined && { from }) };
  if (name === 'status') return { mode, ...phase, ...Object.fromEntries(values.map(verdictOf)) };
  const isList = kind === 'ticks' || kind === 'lines';
  const one = kind === 'number' ? Number(values[0]) : values[0];
  const value = isList ? values : one;
  if (mode === 'enforce' && when === undefined) return value ?? '';
  return { mode, [isList ? 'list' : 'value']: value, ...phase };
}

/** Splits a line into status and verdict. Statuses are in capitals; other lines become unknown statuses. */
function verdictOf(line: string): [status: string, verdict: string] {
  const [, status = line, verdict = ''] = /^([A-Z]\w*)[\s:]+(\w+)$/.exec(line) ?? [];
  return [status, verdict];
}

function settingOf({ kind }: PolicyField, { values }: EnteredMember): unknown {
  if (values.length === 0) return undefined;
  // A text that is no JSON is refused as a text.
  if (kind === 'json') return parsedJson(values[0] ?? '') ?? values[0];
  return kind === 'choice' ? values[0] : values;
}
