import {
  isReason,
  withoutValues,
  type Problem,
  type ValueName,
} from '../platform/errors/reasons.js';
import type { AuditDetail } from './audit-entry.js';

/**
 * Which values of a reason's sentence are stored with a refusal. Values that can be a secret, or the name of a user, of an
 * account or of a tenant that readers of the row may not see, are dropped.
 */
const VALUES = {
  apps: 'stored',
  audience: 'stored',
  audiences: 'stored',
  beyond: 'stored',
  day: 'stored',
  domain: 'stored',
  field: 'stored',
  fingerprints: 'stored',
  format: 'stored',
  from: 'stored',
  header: 'stored',
  here: 'stored',
  host: 'dropped',
  id: 'dropped',
  issuer: 'stored',
  keys: 'stored',
  labels: 'stored',
  line: 'stored',
  max: 'stored',
  member: 'stored',
  method: 'stored',
  methods: 'stored',
  min: 'stored',
  minutes: 'stored',
  missing: 'stored',
  most: 'stored',
  name: 'dropped',
  names: 'dropped',
  path: 'dropped',
  place: 'stored',
  no: 'stored',
  now: 'stored',
  number: 'stored',
  numbers: 'stored',
  option: 'stored',
  origin: 'dropped',
  origins: 'dropped',
  otherTenant: 'dropped',
  ours: 'stored',
  predecessor: 'stored',
  row: 'stored',
  rule: 'stored',
  scope: 'stored',
  series: 'stored',
  status: 'stored',
  successor: 'stored',
  tenant: 'stored',
  type: 'stored',
  types: 'stored',
  until: 'stored',
  users: 'stored',
  version: 'stored',
  words: 'stored',
} as const satisfies Record<ValueName, 'stored' | 'dropped'>;

const REASON = 'refusal';
/** The fact of a value: `refusal.scope`. */
const VALUE = `${REASON}.`;
const MAX_TEXT = 200;

const isStored = (name: string): boolean => VALUES[name as ValueName] === 'stored';

const fitting = (value: string | number): string | number =>
  typeof value === 'string' && value.length > MAX_TEXT
    ? `${value.slice(0, MAX_TEXT - 1).toWellFormed()}…`
    : value;

/** The facts about a refusal: its reason, as fact `refusal`, and the values that may be stored, as `refusal.NAME`. */
export const refusalFacts = ({ reason, values }: Problem): AuditDetail => ({
  [REASON]: reason,
  ...Object.fromEntries(
    Object.entries(values)
      .filter(([name]) => isStored(name))
      .map(([name, value]) => [VALUE + name, fitting(value)]),
  ),
});

/** Whether a fact is about the refusal of the row. */
export const isRefusalFact = (name: string): boolean => name === REASON || name.startsWith(VALUE);

/** Reads the refusal of a row, with `…` for values that are not stored; `undefined` for an unknown reason or none. */
export function refusalIn(detail: AuditDetail): Problem | undefined {
  const reason = detail[REASON];
  if (typeof reason !== 'string' || !isReason(reason)) return undefined;
  const unknown = withoutValues(reason);
  const values = Object.keys(unknown.values).map((name) => {
    const value = detail[VALUE + name];
    return [name, typeof value === 'boolean' ? undefined : value] as const;
  });
  const known = values.filter(
    (entry): entry is [string, string | number] => entry[1] !== undefined,
  );
  return { reason, values: { ...unknown.values, ...Object.fromEntries(known) } };
}
