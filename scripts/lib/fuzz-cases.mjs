/** Values of every JSON type that break careless code. */
const ODD = [
  ...[
    null,
    true,
    0,
    -1,
    1e308,
    '',
    ' ',
    'A',
    '\u0000',
    '__proto__',
    '\ud800',
    '*',
    '%',
    "' OR 1=1",
  ],
  ...[
    [],
    [[]],
    {},
    { length: 1 },
    { toString: 1 },
    { then: 1 },
    { __proto__: null },
    'x'.repeat(70_000),
  ],
];
const WORDS = ['username', 'displayName', 'id', 'rawId', 'type', 'response', 'clientDataJSON'];
const MORE = [
  'attestationObject',
  'signature',
  'authenticatorData',
  'userHandle',
  'keypair',
  'filter',
];
const TYPES = [
  'application/json',
  'application/json; charset=utf-16',
  'text/plain',
  'multipart/form-data',
];
const METHODS = [
  'POST',
  'POST',
  'POST',
  'POST',
  'GET',
  'PUT',
  'DELETE',
  'PATCH',
  'OPTIONS',
  'HEAD',
];
const QUERY = [
  'type=list',
  'type=deluser&filter=*',
  'type=x',
  'a[]=1&a[b]=2',
  'filter=%zz',
  'date=2020-13-01',
];

/** A reproducible random generator: mulberry32. */
export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Creates requests that no client would send, from valid ones.
 *
 * @param samples valid bodies by path
 * @param paths further paths of the server
 */
export class FuzzCases {
  constructor({ random, samples, paths }) {
    this.random = random;
    this.samples = [...samples];
    this.paths = [...paths, ...samples.keys()];
  }

  pick = (list) => list[Math.floor(this.random() * list.length)];

  /** Returns `{ method, path, headers, body, authorised }`; half of them are valid bodies with one change. */
  next() {
    const [path, sample] = this.pick(this.samples);
    if (this.random() < 0.5) {
      return {
        method: 'POST',
        path,
        headers: [],
        body: this.spoiled(JSON.stringify(this.changed(sample))),
      };
    }
    const query = this.random() < 0.3 ? `?${this.pick(QUERY)}` : '';
    return {
      method: this.pick(METHODS),
      path: this.pick(this.paths) + query,
      headers: this.random() < 0.3 ? [`Content-Type: ${this.pick(TYPES)}`] : [],
      body: this.spoiled(JSON.stringify(this.anything(3))),
      authorised: this.random() < 0.5,
    };
  }

  /** A copy with a value replaced, removed or added at a random position. */
  changed(value) {
    if (typeof value !== 'object' || value === null || this.random() < 0.15) return this.odd(value);
    const copy = Array.isArray(value) ? [...value] : { ...value };
    const keys = Object.keys(copy);
    const key = keys.length > 0 && this.random() < 0.9 ? this.pick(keys) : this.pick(WORDS);
    if (this.random() < 0.1) delete copy[key];
    else copy[key] = this.changed(copy[key]);
    return copy;
  }

  odd(value) {
    if (typeof value !== 'string' || this.random() < 0.5) return this.pick(ODD);
    const bytes = Buffer.from(value, 'base64url');
    if (bytes.length === 0) return this.pick(ODD);
    const at = Math.floor(this.random() * bytes.length);
    bytes[at] ^= 1 << Math.floor(this.random() * 8);
    return (this.random() < 0.5 ? bytes : bytes.subarray(0, at)).toString('base64url');
  }

  anything(depth) {
    if (depth === 0 || this.random() < 0.3) return this.pick(ODD);
    const members = Math.floor(this.random() * 5);
    const name = () => this.pick(this.random() < 0.9 ? [...WORDS, ...MORE] : ['__proto__', 'x']);
    return Object.fromEntries(
      Array.from({ length: members }, () => [name(), this.anything(depth - 1)]),
    );
  }

  /** Occasionally corrupts the text itself. */
  spoiled(text = 'null') {
    if (this.random() < 0.9) return text;
    const at = Math.floor(this.random() * text.length);
    return this.pick([
      text.slice(0, at),
      `${text.slice(0, at)}\u0000${text.slice(at)}`,
      `${text}x`,
    ]);
  }
}
