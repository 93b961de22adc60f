/** What a value must be, and whether it is that. */
export interface ValueRule {
  /** Completes the sentence "… must be". */
  readonly mustBe: string;
  readonly accepts: (value: unknown) => boolean;
}

/**
 * Rule of a member. By default it may be absent, but not `undefined`: then a variable is not set, and a limit that the
 * caller meant would not apply.
 */
export interface MemberRule extends ValueRule {
  readonly presence?: 'required' | 'mayBeUndefined';
}

/** All members of a type, each with its rule. */
export type MemberRules<T> = { readonly [Name in keyof T]-?: MemberRule };

/** Accepts a text that is not empty. */
export const textRule = (mustBe: string): ValueRule => ({ mustBe, accepts: isNonEmptyText });

/** Accepts a whole number from 1 to `max`. */
export const wholeNumberRule = (unit: string, max: number): ValueRule => ({
  mustBe: `a whole number of ${unit} from 1 to ${max}`,
  accepts: (value) => Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= max,
});

/** Accepts a function. */
export const functionRule = (mustBe: string): ValueRule => ({
  mustBe,
  accepts: (value) => typeof value === 'function',
});

/** Lets a member be `undefined`, which means the same as no member. */
export const mayBeUndefined = (rule: ValueRule): MemberRule => ({
  ...rule,
  presence: 'mayBeUndefined',
});

/** Accepts an object with a method. Another copy of this package has other classes, so `instanceof` would fail. */
export const methodRule = (mustBe: string, method: string): ValueRule => ({
  mustBe,
  accepts: (value) => has(value, method) && typeof value[method] === 'function',
});

/** Whether the value is a text that is not empty. */
export const isNonEmptyText = (value: unknown): boolean =>
  typeof value === 'string' && value !== '';

/** Throws a TypeError that names the value, unless the rule accepts it. The message never shows the value. */
export function checkValue(name: string, value: unknown, { mustBe, accepts }: ValueRule): void {
  if (accepts(value)) return;
  const hint = value === undefined ? ' It is undefined: is the variable set?' : '';
  throw new TypeError(`${name} must be ${mustBe}.${hint}`);
}

/**
 * Throws a TypeError that names the member, unless each member of the object is known and its rule accepts it. An
 * instance of a class may have further members, for example the services that its methods use.
 */
export function checkMembers<T>(name: string, value: unknown, rules: MemberRules<T>): void {
  const known = Object.keys(rules);
  checkValue(`"${name}"`, value, {
    mustBe: `an object with ${known.join(', ')}`,
    accepts: (object) => isPlain(object) || known.some((member) => has(object, member)),
  });
  const members = value as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(members).find((member) => !known.includes(member));
  if (unknown !== undefined && isPlain(members)) {
    const meant = known.find((member) => lettersOf(member) === lettersOf(unknown));
    const question = meant === undefined ? '' : ` Did you mean "${meant}"?`;
    throw new TypeError(
      `"${unknown}" of "${name}" is unknown.${question} Known are ${known.join(', ')}.`,
    );
  }
  for (const [member, rule] of Object.entries<MemberRule>(rules)) {
    if (isLeftOut(members, member, rule)) continue;
    checkValue(`"${member}" of "${name}"`, members[member], rule);
  }
}

function isLeftOut(members: object, member: string, { presence }: MemberRule): boolean {
  if (!has(members, member)) return presence !== 'required';
  return presence === 'mayBeUndefined' && members[member] === undefined;
}

/** The same for names that differ in case, in hyphens or underscores, or in the order of their letters. */
const lettersOf = (name: string): string =>
  [...name.toLowerCase().replaceAll(/[^a-z]/g, '')].sort().join('');

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const has = <Name extends string>(value: unknown, member: Name): value is Record<Name, unknown> =>
  isObject(value) && member in value;

/** Whether the value is no instance of a class. The objects of another realm have another `Object.prototype`. */
function isPlain(value: unknown): boolean {
  if (!isObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
