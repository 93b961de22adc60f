import { isDomain, isOrigin, namedHost } from '../validation/values/domain.js';
import { isAccountName } from '../validation/values/names.js';

/** Converts the text of an option to its value; throws an `OptionMistake` that says what is expected. */
export interface OptionType<T> {
  readonly kind: 'text' | 'switch' | 'list';
  readonly default: T;
  parse(text: string): T;
}

export class OptionMistake extends Error {}

/** All mistakes in command line, environment and files together, a line each. */
export class OptionMistakes extends Error {
  constructor(readonly mistakes: readonly string[]) {
    super(mistakes.join('\n'));
  }
}

/** Runs a reader that throws `OptionMistakes`, and appends these to the others. */
export function collectMistakes<T>(mistakes: string[], read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof OptionMistakes)) throw error;
    mistakes.push(...error.mistakes);
    return undefined;
  }
}

const textType = <T>(fallback: T, parse: (value: string) => T): OptionType<T> => ({
  kind: 'text',
  default: fallback,
  parse,
});

function nonEmpty(value: string): string {
  if (value === '') throw new OptionMistake('must not be empty');
  return value;
}

export const text = (fallback: string) => textType(fallback, nonEmpty);

/** A name for HTTP Basic, in which the first colon ends the name (RFC 7617 §2). */
export const accountName = (fallback: string) =>
  textType(fallback, (value) => {
    if (isAccountName(value)) return value;
    throw new OptionMistake('must be a name without a colon, other than . and ..');
  });

export const textOption = textType<string | undefined>(undefined, nonEmpty);

/** Words that switch something on or off: of these, an option with a file or an address takes only `off`. */
const SWITCH_WORD = /^(?:on|off|yes|no|true|false|none|[01])$/i;

/** @param expected what the option takes besides `off`, for the refusal of a word that it does not take */
function placeOf(expected: string, value: string): string {
  if (!SWITCH_WORD.test(value)) return nonEmpty(value);
  throw new OptionMistake(`must be ${expected}, or off, not ${value}`);
}

export const textOrOff = (expected: string) =>
  textType<string | undefined>(undefined, (value) =>
    value === 'off' ? undefined : placeOf(expected, value),
  );

export const wholeNumber = (fallback: number, from: number, to: number) =>
  textType(fallback, (value) => {
    const number = Number(value);
    if (!/^\d{1,15}$/.test(value) || number < from || number > to) {
      throw new OptionMistake(`must be a whole number from ${from} to ${to}`);
    }
    return number;
  });

const ON = ['on', 'true', '1'];
const OFF = ['off', 'false', '0'];
export const isSwitchWord = (value: string): boolean => ON.includes(value) || OFF.includes(value);

export const onOff = (fallback: boolean): OptionType<boolean> => ({
  kind: 'switch',
  default: fallback,
  parse: (value) => {
    if (!isSwitchWord(value)) throw new OptionMistake('must be on or off');
    return ON.includes(value);
  },
});

export const oneWordOf = <const T extends string>(...words: readonly [T, ...T[]]) =>
  textType(words[0], (value): T => {
    const word = words.find((candidate) => candidate === value);
    if (word === undefined) throw new OptionMistake(`must be one of ${words.join(', ')}`);
    return word;
  });

export const domain = textType<string | undefined>(undefined, (value) => {
  const name = namedHost(value);
  if (!isDomain(name)) {
    throw new OptionMistake(
      'must be a domain name such as login.example.com, or a URL with it, not an IP address',
    );
  }
  return name;
});

export const url = <T extends string | undefined>(fallback: T, ...schemes: readonly string[]) =>
  textType<T | string>(fallback, (text) => {
    // Schemes have no case (RFC 3986 §3.1).
    const value = text.replace(/^[a-z][a-z\d+.-]*:/i, (scheme) => scheme.toLowerCase());
    if (!schemes.some((scheme) => value.startsWith(scheme))) {
      throw new OptionMistake(`must begin with ${schemes.join(' or ')}`);
    }
    const address = value.includes('://') ? URL.parse(value) : undefined;
    if (address === null || address?.hostname === '') throw new OptionMistake('is not a URL');
    return value;
  });

const databaseUrl = url(undefined, 'sqlite:', 'mysql://', 'mariadb://');

export const database = textType<string | undefined>(undefined, (text) => {
  const value = databaseUrl.parse(text) ?? '';
  if (value === 'sqlite:') throw new OptionMistake('must name a file: sqlite:PATH');
  if (value.startsWith('sqlite:')) return value;
  const { pathname, searchParams } = new URL(value);
  if (pathname.length <= 1) {
    throw new OptionMistake('must name a database: mysql://user@host:3306/name');
  }
  if ([...searchParams].some(([name, ca]) => name !== 'ssl' || ca === '') || searchParams.size > 1)
    throw new OptionMistake(
      'may end in ?ssl=on or ?ssl=FILE (authorities to trust) and nothing else',
    );
  return value;
});

/** The file of authorities in the query of a database's address, or `on` for those that Node.js trusts. */
export const databaseCa = (url: string): string | undefined =>
  url.startsWith('sqlite:') ? undefined : (new URL(url).searchParams.get('ssl') ?? undefined);

const list: OptionType<readonly string[]> = {
  kind: 'list',
  default: [],
  parse: (value) =>
    value
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean),
};

/** Origins in the form of a relying party's list. */
export const originsOption: OptionType<readonly string[]> = {
  ...list,
  parse: (value) => {
    const items = list.parse(value);
    const wrong = items.find((item) => !isOrigin(item));
    if (wrong === undefined) return items;
    throw new OptionMistake(`${wrong} is not an origin such as https://www.example.com (no path)`);
  },
};

export const listOrOff = (expected: string): OptionType<readonly string[]> => ({
  kind: 'list',
  default: [],
  parse: (value) => {
    if (value === 'off') return [];
    const places = list.parse(value).map((place) => placeOf(expected, place));
    return places.length > 0 ? places : [placeOf(expected, '')];
  },
});
