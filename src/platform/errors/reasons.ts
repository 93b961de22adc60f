import { withProgram } from '../program.js';
import { ENGLISH } from './languages/en.js';

/** Why a call is refused: a key that programs can rely on, for example `origin.notAllowed`. */
export type Reason = keyof typeof ENGLISH;

export const isReason = (text: string): text is Reason => Object.hasOwn(ENGLISH, text);

type NamesIn<Text extends string> = Text extends `${string}{{${infer Name}}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

export type ValuesOf<R extends Reason> = Readonly<
  Record<NamesIn<(typeof ENGLISH)[R]>, string | number>
>;

/** The names of the values in all sentences. */
export type ValueName = { [R in Reason]: keyof ValuesOf<R> }[Reason];

export type PlainReason = {
  [R in Reason]: keyof ValuesOf<R> extends never ? R : never;
}[Reason];

const VALUE = /\{\{(\w+)\}\}/g;
const UNKNOWN_VALUE = '…';

/** A reason with the values of its sentence. */
export interface Problem {
  readonly reason: Reason;
  readonly values: Readonly<Record<string, string | number>>;
  /** What follows in the sentence of this call: the wrong field, or what to do. */
  readonly advice?: Problem | undefined;
}

/** The values may be omitted only if the sentence of the reason has none. */
type RestOf<R extends Reason> = keyof ValuesOf<R> extends never
  ? [values?: ValuesOf<R>]
  : [values: ValuesOf<R>];

export const problem = <R extends Reason>(reason: R, ...[values]: RestOf<R>): Problem => ({
  reason,
  values: values ?? {},
});

const valueNames = (reason: Reason): readonly string[] =>
  [...ENGLISH[reason].matchAll(VALUE)].map(([, name]) => String(name));

/** The value that the sentence of a problem contains first; `undefined` if it contains none. */
export function firstValueIn({ reason, values }: Problem): string | number | undefined {
  const [first] = valueNames(reason);
  return first === undefined ? undefined : values[first];
}

/**
 * The problem of a reason whose values were not kept, except perhaps the first one: its sentence has `…` instead of
 * them.
 */
export const withoutValues = (reason: Reason, first: string = UNKNOWN_VALUE): Problem => ({
  reason,
  values: Object.fromEntries(
    valueNames(reason).map((name, n) => [name, n === 0 ? first : UNKNOWN_VALUE]),
  ),
});

/** The English sentence of a problem, with its advice, for `errorMessage` and the log; `…` for an unknown value. */
export function sentenceOf({ reason, values, advice }: Problem): string {
  const sentence = withProgram(ENGLISH[reason]).replaceAll(VALUE, (_, name: string) =>
    String(values[name] ?? UNKNOWN_VALUE),
  );
  return advice ? `${sentence} ${sentenceOf(advice)}` : sentence;
}

/** A field that a sentence names itself, for example "cursor". */
const NAMED_FIELD = /^"([\w.]+|policy\.\{\{rule\}\})"/;

/** The field that a problem or its advice names. */
export function fieldIn({ reason, values, advice }: Problem): string | number | undefined {
  const [, named] = NAMED_FIELD.exec(ENGLISH[reason]) ?? [];
  return (
    values['field'] ??
    named?.replace('{{rule}}', String(values['rule'])) ??
    (advice && fieldIn(advice))
  );
}

const PREFIX = 'rule.broken ';

/** The detail that the ledger records for a refusal by a policy rule. */
export const brokenRule = (rule: string): string => `${PREFIX}${rule}`;

/** The rule that refused, from the detail of its event; `undefined` for other refusals and in older events. */
export const brokenRuleIn = (detail: string | null): string | undefined =>
  detail?.startsWith(PREFIX) ? detail.slice(PREFIX.length).split(' ')[0] : undefined;
