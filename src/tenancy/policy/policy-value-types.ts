import type { SchemaObject } from '@nestjs/swagger';
import { problem, type Problem } from '../../platform/errors/reasons.js';
import {
  algorithmNames,
  algorithmNumber,
} from '../../platform/validation/values/algorithm-name.js';
import { isOrigin, normalizeOrigins } from '../../platform/validation/values/domain.js';
import { isListOf, isOneOf } from '../../platform/validation/decorators.js';
import { isObject } from '../../platform/validation/field-validator.js';
import { startOfDay } from '../../platform/validation/values/moment.js';
import { certificatesOfPem, isCertificatePem } from '../../platform/validation/values/pem.js';
import { isAaguidText } from '../../webauthn/aaguid.js';
import { UNKNOWN_PAGE } from '../../webauthn/client-data.js';
import {
  STATUS_VERDICTS,
  type StatusVerdict,
  type StatusVerdicts,
} from '../../webauthn/metadata/status.js';
import { MAX_ORIGINS } from '../tenancy.validators.js';

/** The effect of a broken rule: none; an event, while the ceremony succeeds; the ceremony fails. */
export const RULE_MODES = ['off', 'report', 'enforce'] as const;
export type RuleMode = (typeof RULE_MODES)[number];

const WHENS = ['registration', 'both'] as const;

/** Whether an enforced rule applies to registrations only or to sign-ins too, optionally from a day (UTC) on. */
interface Phase {
  readonly when?: (typeof WHENS)[number];
  /** `YYYY-MM-DD` */
  readonly from?: string;
}

/** A rule as it is stored: either its value alone, which is then enforced, or with a mode. */
type Written<T> = T | ({ readonly mode: RuleMode; readonly value: T } & Phase);
type WrittenList =
  readonly string[] | ({ readonly mode: RuleMode; readonly list: readonly string[] } & Phase);

/** A rule that is not off. */
export interface PolicyRule<T> {
  readonly mode: Exclude<RuleMode, 'off'>;
  readonly value: T;
  /** From when the rule applies to sign-ins too, in ms since 1970; absent if it does not. */
  readonly signInsFrom?: number;
}

/**
 * A member of a relying party's policy, without its name and permissions.
 *
 * @typeParam Stored the value as it is stored, for example a rule with its mode
 * @typeParam Applied the value that registrations and sign-ins use, for example algorithms as COSE numbers
 */
export interface PolicyValue<Stored, Applied> {
  readonly fits: (written: unknown) => boolean;
  /** What is wrong with a value that does not fit. */
  readonly problemOf: (rule: string, written: unknown) => Problem;
  /** Reads the value for use; `undefined` for a rule that is off. */
  readonly read: (written: Stored | undefined) => Applied;
  readonly schema: SchemaObject;
  /** How the page asks for the value: `hint` is the message beside an invalid one. */
  readonly field: {
    /** One or several of a list, one per line, a number, a verdict for each status, or JSON. */
    readonly kind: 'choice' | 'ticks' | 'lines' | 'number' | 'verdicts' | 'json';
    /** The values of a choice or of tick boxes; the statuses that have a verdict. */
    readonly values?: readonly string[];
    readonly hint: Problem;
  };
  /** Whether it is a rule, which has a mode, or a setting. */
  readonly hasMode: boolean;
}

const isDay = (value: unknown): boolean =>
  typeof value === 'string' && startOfDay(value) !== undefined;

const isMode = (value: unknown): boolean => isOneOf(RULE_MODES, value);

/** Whether the members `when` and, if it is `both`, `from` of a rule are valid; both may be absent. */
const hasValidPhase = ({ when, from }: Readonly<Record<string, unknown>>): boolean =>
  (when === undefined || isOneOf(WHENS, when)) &&
  (from === undefined || (when === 'both' && isDay(from)));

/** Whether a rule has no other members than these and its phase. */
const hasOnlyMembers = (written: object, members: readonly string[]): boolean =>
  Object.keys(written).every((name) => [...members, 'when', 'from'].includes(name));

/** Whether a value is written alone or as `{"mode": …, "value": VALUE}`, where a list is named `list`. */
const isRule = (
  written: unknown,
  member: 'value' | 'list',
  fits: (value: unknown) => boolean,
): boolean =>
  fits(written) ||
  (isObject(written) &&
    isMode(written['mode']) &&
    fits(written[member]) &&
    hasOnlyMembers(written, ['mode', member]) &&
    hasValidPhase(written));

const MODE_SCHEMA = { type: 'string' as const, enum: [...RULE_MODES] };
const PHASE_SCHEMA = {
  when: { type: 'string' as const, enum: [...WHENS] },
  from: { type: 'string' as const, format: 'date', example: '2027-01-01' },
};

const ruleSchema = (value: SchemaObject, member: 'value' | 'list'): SchemaObject => ({
  oneOf: [
    value,
    {
      type: 'object',
      required: ['mode', member],
      properties: { mode: MODE_SCHEMA, [member]: value, ...PHASE_SCHEMA },
    },
  ],
});

const stringsSchema = (example: string): SchemaObject => ({
  type: 'array',
  items: { type: 'string', example },
});

function moded<T>(mode: RuleMode, value: T, { when, from }: Phase = {}): PolicyRule<T> | undefined {
  if (mode === 'off') return undefined;
  if (when !== 'both' || mode !== 'enforce') return { mode, value };
  return { mode, value, signInsFrom: from === undefined ? 0 : Date.parse(from) };
}

function readRule<T extends string | number>(written: Written<T> | undefined) {
  if (written === undefined) return undefined;
  return typeof written === 'object'
    ? moded(written.mode, written.value, written)
    : { mode: 'enforce' as const, value: written };
}

/** Omits items that this process does not know, for example an algorithm of a newer runtime. */
function readList<T>(written: WrittenList | undefined, read: (item: string) => T | undefined) {
  if (written === undefined) return undefined;
  const { mode, list, ...phase } =
    'mode' in written ? written : { mode: 'enforce' as const, list: written };
  const known = list.map(read).filter((item) => item !== undefined);
  return moded<readonly T[]>(mode, known, phase);
}

/** A setting: one of several words. */
export const oneOf = <T extends string, Default extends T | undefined>(
  words: readonly T[],
  unset: Default,
): PolicyValue<T, T | Default> => ({
  fits: (written) => isOneOf(words, written),
  problemOf: (rule) => problem('policy.oneOf', { rule, words: words.join(', ') }),
  read: (written) => written ?? unset,
  schema: { type: 'string', enum: [...words] },
  field: { kind: 'choice', values: words, hint: problem('form.choose') },
  hasMode: false,
});

/** A rule: one of several words. */
export const ruleOneOf = <T extends string>(
  words: readonly T[],
): PolicyValue<Written<T>, PolicyRule<T> | undefined> => ({
  fits: (written) => isRule(written, 'value', (value) => isOneOf(words, value)),
  problemOf: (rule) => problem('policy.ruleOneOf', { rule, words: words.join(', ') }),
  read: readRule,
  schema: ruleSchema({ type: 'string', enum: [...words] }, 'value'),
  field: { kind: 'choice', values: words, hint: problem('form.choose') },
  hasMode: true,
});

/** A rule: a subset of several words. As in all lists of rules, duplicates are allowed: stored policies contain some. */
export const ruleSomeOf = <T extends string>(
  words: readonly T[],
): PolicyValue<WrittenList, PolicyRule<readonly T[]> | undefined> => ({
  fits: (written) =>
    isRule(written, 'list', (list) =>
      isListOf(list, (item) => isOneOf(words, item), { min: 1, max: words.length }),
    ),
  problemOf: (rule) =>
    problem('policy.ruleSomeOf', { rule, most: words.length, words: words.join(', ') }),
  read: (written) => readList(written, (item) => words.find((word) => word === item)),
  schema: ruleSchema({ type: 'array', items: { type: 'string', enum: [...words] } }, 'list'),
  field: { kind: 'ticks', values: words, hint: problem('form.tick') },
  hasMode: true,
});

const MAX_AAGUIDS = 500;

/** A rule: models by their AAGUIDs. */
export const ruleAaguids = (): PolicyValue<
  WrittenList,
  PolicyRule<readonly string[]> | undefined
> => ({
  fits: (written) =>
    isRule(written, 'list', (list) => isListOf(list, isAaguidText, { min: 1, max: MAX_AAGUIDS })),
  problemOf: (rule) => problem('policy.ruleAaguids', { rule, most: MAX_AAGUIDS }),
  read: (written) => readList(written, (aaguid) => aaguid.toLowerCase()),
  schema: ruleSchema(stringsSchema('ee882879-721c-4913-9775-3dfcce97072a'), 'list'),
  field: { kind: 'lines', hint: problem('form.aaguids') },
  hasMode: true,
});

const MAX_ALGORITHMS = 20;

const isAlgorithm = (value: unknown): boolean =>
  typeof value === 'string' && algorithmNames().includes(value.toLowerCase());

/** A rule: algorithms by name, without regard to case; applied as COSE numbers. */
export const ruleAlgorithms = (): PolicyValue<
  WrittenList,
  PolicyRule<readonly number[]> | undefined
> => ({
  fits: (written) =>
    isRule(written, 'list', (list) => isListOf(list, isAlgorithm, { min: 1, max: MAX_ALGORITHMS })),
  problemOf: (rule) => problem('policy.ruleAlgorithms', { rule, most: MAX_ALGORITHMS }),
  read: (written) => readList(written, algorithmNumber),
  schema: ruleSchema(stringsSchema('es256'), 'list'),
  field: { kind: 'ticks', values: algorithmNames(), hint: problem('form.tick') },
  hasMode: true,
});

/** A rule: a whole number. */
export const ruleNumber = (
  min: number,
  max: number,
): PolicyValue<Written<number>, PolicyRule<number> | undefined> => ({
  fits: (written) =>
    isRule(
      written,
      'value',
      (value) => Number.isInteger(value) && Number(value) >= min && Number(value) <= max,
    ),
  problemOf: (rule) => problem('policy.ruleNumber', { rule, min, max }),
  read: readRule,
  schema: ruleSchema({ type: 'integer', minimum: min, maximum: max }, 'value'),
  field: { kind: 'number', hint: problem('form.wholeNumber', { min, max }) },
  hasMode: true,
});

const MAX_ANCHORS = 20;

/** A setting: certificates in PEM; applied as DER. */
export const certificates = (): PolicyValue<readonly string[], readonly Buffer[]> => ({
  fits: (written) => isListOf(written, isCertificatePem, { min: 0, max: MAX_ANCHORS }),
  problemOf: (rule) => problem('policy.certificates', { rule, most: MAX_ANCHORS }),
  read: (written) => (written ?? []).flatMap(certificatesOfPem),
  schema: stringsSchema('-----BEGIN CERTIFICATE-----…'),
  field: { kind: 'lines', hint: problem('form.anchors') },
  hasMode: false,
});

/** A setting: origins of pages that may embed a ceremony, and `unknown` for a page that the browser does not name. */
export const topOrigins = (): PolicyValue<readonly string[], readonly string[]> => ({
  fits: (written) =>
    isListOf(written, (item) => item === UNKNOWN_PAGE || isOrigin(item), {
      min: 0,
      max: MAX_ORIGINS,
    }),
  problemOf: (rule) => problem('policy.origins', { rule, most: MAX_ORIGINS }),
  read: (written) => normalizeOrigins(written ?? []),
  schema: stringsSchema('https://portal.example.com'),
  field: { kind: 'lines', hint: problem('form.topOrigins') },
  hasMode: false,
});

const MAX_AUDIENCES = 20;
/** Visible ASCII: tokens name the audience unchanged. */
const AUDIENCE = /^[\x21-\x7e]{1,255}$/;
const isAudience = (item: unknown): boolean => typeof item === 'string' && AUDIENCE.test(item);

/** A setting: audiences of tokens. */
export const audiences = (): PolicyValue<readonly string[], readonly string[]> => ({
  fits: (written) => isListOf(written, isAudience, { min: 0, max: MAX_AUDIENCES }),
  problemOf: (rule) => problem('policy.audiences', { rule, most: MAX_AUDIENCES }),
  read: (written) => written ?? [],
  schema: stringsSchema('https://api.example.com'),
  field: { kind: 'lines', hint: problem('form.audiences') },
  hasMode: false,
});

/** The rule on keys that can be synced: only `refused` demands anything. */
export function backupRule(): PolicyValue<
  Written<'allowed' | 'refused'>,
  PolicyRule<'refused'> | undefined
> {
  const words = ruleOneOf(['refused', 'allowed']);
  return {
    ...words,
    read: (written) => {
      const found = words.read(written);
      return found?.value === 'refused' ? { ...found, value: 'refused' } : undefined;
    },
  };
}

const COUNTER = ['reject', 'warn', 'disable'] as const;
type Counter = (typeof COUNTER)[number];

/** The rule on counters. Policies stored before modes existed contain `warn` for `report`. */
export const counterRule = (): PolicyValue<Written<Counter>, Counter | 'off'> => ({
  ...ruleOneOf(COUNTER),
  read: (written) => {
    if (written === undefined) return 'reject';
    if (typeof written === 'string') return written;
    if (written.mode === 'off') return 'off';
    return written.mode === 'report' ? 'warn' : written.value;
  },
  field: { kind: 'choice', values: ['reject', 'disable'], hint: problem('form.choose') },
});

/**
 * The attestation that must be trusted. `known`: attestation of models in the metadata, if attestation was requested;
 * `all`: every attestation.
 */
const TRUST_DEMANDS = ['known', 'all'] as const;
type TrustDemand = (typeof TRUST_DEMANDS)[number];
type WrittenTrust =
  RuleMode | TrustDemand | ({ readonly mode: RuleMode; readonly value?: TrustDemand } & Phase);

/** The rule on trust; a mode alone is the mode of `all`. If a policy does not set it, `known` is enforced. */
export const trustRule = (): PolicyValue<WrittenTrust, PolicyRule<TrustDemand> | undefined> => ({
  fits: (written) =>
    isMode(written) ||
    isRule(written, 'value', (value) => isOneOf(TRUST_DEMANDS, value)) ||
    (isObject(written) &&
      isMode(written['mode']) &&
      hasOnlyMembers(written, ['mode']) &&
      hasValidPhase(written)),
  problemOf: (rule) =>
    problem('policy.ruleOneOf', { rule, words: [...TRUST_DEMANDS, ...RULE_MODES].join(', ') }),
  read: (written = 'known') => {
    if (typeof written === 'object') return moded(written.mode, written.value ?? 'all', written);
    return written === 'known' || written === 'all'
      ? { mode: 'enforce', value: written }
      : moded(written, 'all');
  },
  schema: {
    oneOf: [
      { type: 'string', enum: [...TRUST_DEMANDS, ...RULE_MODES] },
      {
        type: 'object',
        required: ['mode'],
        properties: {
          mode: MODE_SCHEMA,
          value: { type: 'string', enum: [...TRUST_DEMANDS] },
          ...PHASE_SCHEMA,
        },
      },
    ],
  },
  field: { kind: 'choice', values: ['all', 'known'], hint: problem('form.choose') },
  hasMode: true,
});

export const VERDICTS = ['accept', 'warn', 'refuse'] as const;

/** Verdicts by metadata status, for example `REVOKED`. */
type WrittenStatus = { readonly mode?: RuleMode } & Phase & {
    readonly [status: string]: RuleMode | StatusVerdict | string;
  };

/** The rule on the metadata status of a model. If a policy does not set it, the defaults are enforced. */
export const statusRule = (): PolicyValue<
  WrittenStatus,
  PolicyRule<StatusVerdicts> | undefined
> => ({
  fits: (written) => {
    if (!isObject(written) || !hasValidPhase(written)) return false;
    return Object.entries(written)
      .filter(([name]) => name !== 'when' && name !== 'from')
      .every(([name, value]) =>
        name === 'mode'
          ? isMode(value)
          : Object.hasOwn(STATUS_VERDICTS, name) && isOneOf(VERDICTS, value),
      );
  },
  problemOf: (rule) => problem('policy.ruleStatus', { rule }),
  read: (written = {}) => {
    const { mode = 'enforce', when, from, ...verdicts } = written;
    const phase = { ...(when && { when }), ...(from !== undefined && { from }) };
    return moded(mode, verdicts as StatusVerdicts, phase);
  },
  schema: {
    type: 'object',
    properties: {
      mode: MODE_SCHEMA,
      ...PHASE_SCHEMA,
      ...Object.fromEntries(
        Object.keys(STATUS_VERDICTS).map((status) => [
          status,
          { type: 'string', enum: [...VERDICTS] },
        ]),
      ),
    },
    example: { mode: 'enforce', UPDATE_AVAILABLE: 'warn', REVOKED: 'refuse' },
  },
  field: {
    kind: 'verdicts',
    values: Object.keys(STATUS_VERDICTS),
    hint: problem('form.statuses'),
  },
  hasMode: true,
});
