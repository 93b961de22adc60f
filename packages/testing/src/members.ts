/** Says what a value must be, if it is something else. */
export type Check = (value: unknown) => string | undefined;

/** The members of a type, each with its check. */
export type Members<T> = { readonly [Name in keyof T]-?: Check };

export const must =
  (be: string, is: (value: unknown) => boolean): Check =>
  (value) =>
    is(value) ? undefined : be;

export const flag = must('true or false', (value) => typeof value === 'boolean');
export const text = must('a text', (value) => typeof value === 'string' && value !== '');
export const texts = must('a list of texts', (value) => isListOf(value, isText));
export const object = must('an object', isObject);
export const objects = must('a list of objects', (value) => isListOf(value, isObject));
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
export const uuid = must('a UUID', (value) => typeof value === 'string' && UUID.test(value));
export const oneOf = (words: readonly string[]): Check =>
  must(`one of ${words.join(', ')}`, (value) => words.includes(value as string));

const isText = (value: unknown): boolean => typeof value === 'string';

const isListOf = (value: unknown, is: (one: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(is);

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Leaves out members that are `null`: some languages write these for members without a value. */
export function withoutNulls<T extends object>(value: T): T {
  const given = Object.entries(value).filter(
    ([, member]) => member !== null && member !== undefined,
  );
  return Object.fromEntries(given) as T;
}

/**
 * Checks the members of an object.
 *
 * @returns the object without members that are `null`
 * @throws TypeError if it is no object, or has an unknown or wrong member
 */
export function readMembers<T extends object>(value: unknown, members: Members<T>): T {
  const checks: Readonly<Record<string, Check>> = members;
  const known = Object.keys(members).join(', ');
  if (!isObject(value)) throw new TypeError(`Expected an object with ${known}.`);
  const given = withoutNulls(value);
  for (const [name, member] of Object.entries(given)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (!check) throw new TypeError(`"${name}" is unknown. Known are ${known}.`);
    const wanted = check(member);
    if (wanted !== undefined) throw new TypeError(`"${name}" must be ${wanted}.`);
  }
  return given as T;
}
