import './register-typescript.mjs';

const { spoil } = await import('../../test/support/fuzz/spoil.ts');

/** Values of every JSON type that break careless code. */
const ODD = [
  ...[null, true, 0, -1, 1e308, '', ' ', 'A', '*', '%'],
  ...['\u0000', '\ud800', '__proto__', "' OR 1=1", 'x'.repeat(70_000)],
  ...[[], [[]], {}, { length: 1 }, { toString: 1 }, { then: 1 }, { __proto__: null }],
];
const WORDS =
  'username displayName id rawId type response clientDataJSON attestationObject signature ' +
  'authenticatorData userHandle keypair filter __proto__ x';
const NAMES = WORDS.split(' ');
const TYPES = ['application/json', 'application/json; charset=utf-16', 'text/plain', 'multipart/form-data']; // prettier-ignore
const METHODS = 'POST POST POST POST GET PUT DELETE PATCH OPTIONS HEAD'.split(' ');
const QUERY =
  'type=list type=deluser&filter=* type=x a[]=1&a[b]=2 filter=%zz date=2020-13-01'.split(' ');

/** Creates requests that no client would send, from valid ones. */
export class FuzzCases {
  #random;
  #samples;
  #paths;

  /**
   * @param random a whole number from 0 up to, not including, its argument
   * @param samples valid bodies by path
   * @param paths further paths of the server
   */
  constructor({ random, samples, paths }) {
    this.#random = random;
    this.#samples = [...samples];
    this.#paths = [...paths, ...samples.keys()];
  }

  /** Returns `{ method, path, type, body, authorised }`; half of them are valid bodies with one change. */
  next() {
    const [path, sample] = this.#pick(this.#samples);
    if (this.#one(2)) {
      return { method: 'POST', path, body: this.#spoiled(this.changed(sample)) };
    }
    return {
      method: this.#pick(METHODS),
      path: this.#pick(this.#paths) + (this.#one(3) ? `?${this.#pick(QUERY)}` : ''),
      type: this.#one(3) ? this.#pick(TYPES) : undefined,
      body: this.#spoiled(this.#anything(3)),
      authorised: this.#one(2),
    };
  }

  /** A copy with a value replaced, removed or added at a random position. */
  changed(value) {
    if (typeof value !== 'object' || value === null || this.#one(7)) return this.#odd(value);
    const copy = Array.isArray(value) ? [...value] : { ...value };
    const keys = Object.keys(copy);
    const key = this.#pick(keys.length === 0 || this.#one(10) ? NAMES : keys);
    if (this.#one(10)) delete copy[key];
    else copy[key] = this.changed(copy[key]);
    return copy;
  }

  /** Strings are mostly bytes in base64url. */
  #odd(value) {
    if (typeof value !== 'string' || this.#one(2)) return this.#pick(ODD);
    return spoil(Buffer.from(value, 'base64url'), this.#random).toString('base64url');
  }

  #anything(depth) {
    if (depth === 0 || this.#one(3)) return this.#pick(ODD);
    const members = Array.from({ length: this.#random(5) }, () => this.#pick(NAMES));
    return Object.fromEntries(members.map((name) => [name, this.#anything(depth - 1)]));
  }

  /** The text of a body, occasionally with changed bytes. */
  #spoiled(value) {
    const text = Buffer.from(JSON.stringify(value) ?? 'null');
    return this.#one(10) ? spoil(text, this.#random) : text;
  }

  /** True in one of this number of calls. */
  #one(number) {
    return this.#random(number) === 0;
  }

  #pick(list) {
    return list[this.#random(list.length)];
  }
}
