import type { CreationOptions, RequestOptions } from './ceremony-json.js';
import { type Check, isObject, type Members, must, text, withoutNulls } from './members.js';

const listOf = (member: string, type: string) => (value: unknown) =>
  Array.isArray(value) && value.every((one) => isObject(one) && typeof one[member] === type);

const credentials = must(
  'a list of objects with "id"',
  (value) => value === undefined || listOf('id', 'string')(value),
);

const OF_REGISTRATIONS: Members<CreationOptions> = {
  challenge: text,
  rp: must('an object', isObject),
  user: must('an object with "id"', (value) => isObject(value) && typeof value['id'] === 'string'),
  pubKeyCredParams: must('a list of objects with "alg"', listOf('alg', 'number')),
  excludeCredentials: credentials,
  extensions: must('an object', (value) => value === undefined || isObject(value)),
};
const OF_SIGN_INS: Members<RequestOptions> = {
  challenge: text,
  rpId: must('a text', (value) => value === undefined || typeof value === 'string'),
  allowCredentials: credentials,
};

/**
 * Reads the options of a registration: what the begin call answered.
 *
 * @throws TypeError with a sentence on what they are instead
 */
export const readCreationOptions = (options: unknown): CreationOptions =>
  read(options, OF_REGISTRATIONS);

/**
 * Reads the options of a sign-in: what the begin call answered.
 *
 * @throws TypeError with a sentence on what they are instead
 */
export const readRequestOptions = (options: unknown): RequestOptions => read(options, OF_SIGN_INS);

function read<T extends object>(options: unknown, members: Members<T>): T {
  if (!isObject(options)) {
    throw new TypeError('"options" must be an object: the answer of the begin call, as JSON.');
  }
  if (isObject(options['publicKey'])) {
    throw new TypeError('"options" must be the object in "publicKey", not the one around it.');
  }
  if (typeof options['errorCode'] === 'string') {
    throw new TypeError(
      `The begin call was refused: ${options['errorCode']} ${String(options['errorMessage'])}`,
    );
  }
  const given = withoutNulls(options);
  for (const [name, check] of Object.entries<Check>(members)) {
    const wanted = check(given[name]);
    if (wanted !== undefined) {
      throw new TypeError(
        `"${name}" of "options" must be ${wanted}. Are these the options of the other ceremony?`,
      );
    }
  }
  return given as T;
}
