import {
  register,
  registrationBody,
  verifyBody,
} from '../../../test/support/authenticator/ceremony.js';
import { encodeCbor, type CborInput, Raw } from '../../../packages/testing/src/cbor-writer.js';
import { failureOf } from '../../../test/support/authenticator/failure-of.js';
import type { RegistrationTweaks } from '../../../packages/testing/src/tweaks.js';
import type { Failure } from '../failure.js';

describe('the attestation object (WebAuthn L3 §6.5.4)', () => {
  let authData = Buffer.alloc(0);
  const keep = (bytes: Buffer) => (authData = Buffer.from(bytes));
  const genuine = registrationBody({ tweaks: { authenticatorData: keep } });
  const refusal = (tweaks: RegistrationTweaks) => failureOf(() => register({ tweaks }));
  const entries: readonly [string, CborInput][] = [
    ['fmt', 'none'],
    ['attStmt', new Map()],
    ['authData', authData],
  ];
  /** The failure of the genuine registration with this attestation object. */
  const refusalOf = (object: Buffer) => {
    const response = { ...genuine.response, attestationObject: object.toString('base64url') };
    return failureOf(() => verifyBody({ ...genuine, response }));
  };
  const without = (name: string) => encodeCbor(new Map(entries.filter(([key]) => key !== name)));
  const withEntry = (key: string | number, value: CborInput) =>
    encodeCbor(new Map<string | number, CborInput>([...entries, [key, value]]));

  it.each<[string, Failure, Buffer]>([
    ['an array', 'attestation-malformed', encodeCbor([])],
    ['an empty byte string', 'data-cut', Buffer.alloc(0)],
    ['a map without fmt', 'attestation-malformed', without('fmt')],
    ['a map without attStmt', 'attestation-malformed', without('attStmt')],
    ['a map without authData', 'attestation-malformed', without('authData')],
    ['a map with an integer key', 'attestation-malformed', withEntry(1, 'none')],
    ['a map with authData as text', 'attestation-malformed', withEntry('authData', 'x'.repeat(37))],
    ['a map with authData as a map', 'attestation-malformed', withEntry('authData', new Map())],
    ['a map with authData empty', 'data-cut', withEntry('authData', Buffer.alloc(0))],
    ['a map with attStmt null', 'attestation-malformed', withEntry('attStmt', null)],
    ['a map with fmt as a number', 'attestation-malformed', withEntry('fmt', 1)],
  ])(
    'refuses %s as attestation object (%s, WebAuthn L3 §7.1 step 13)',
    (_title, failure, object) => {
      expect(refusalOf(object)).toBe(failure);
    },
  );

  it('accepts an unchanged attestation object', () => {
    expect(refusalOf(encodeCbor(new Map(entries)))).toBeUndefined();
  });

  it('refuses a byte behind the attestation object (WebAuthn L3 §7.1 step 13)', () => {
    const attestationObject = (object: Buffer) => Buffer.concat([object, Buffer.of(0)]);
    expect(refusal({ attestationObject })).toBe('data-left-over');
  });

  it('refuses an attestation object truncated at any byte', () => {
    const whole = registrationBody({ device: { attestation: 'packed' } });
    const object = Buffer.from(whole.response.attestationObject, 'base64url');
    const failures = new Set<string | undefined>();
    for (let length = 0; length < object.length; length++) {
      const attestationObject = object.subarray(0, length).toString('base64url');
      const cut = { ...whole, response: { ...whole.response, attestationObject } };
      failures.add(failureOf(() => verifyBody(cut)));
    }
    expect([...failures]).toEqual(['data-cut']);
  });

  it('refuses an attestation object with a member that occurs twice', () => {
    const twice = Buffer.concat([
      Buffer.of(0xa4),
      ...entries.flatMap(([key, value]) => [encodeCbor(key), encodeCbor(value)]),
      encodeCbor('fmt'),
      encodeCbor('packed'),
    ]);
    expect(refusalOf(twice)).toBe('attestation-malformed');
  });

  it('ignores an additional text member of the attestation object', () => {
    const attestationObject = (object: Buffer) =>
      Buffer.concat([Buffer.of(0xa4), object.subarray(1), encodeCbor('epAtt'), encodeCbor(true)]);
    expect(refusal({ attestationObject })).toBeUndefined();
  });

  it.each(['__proto__', 'constructor', 'toString', 'Packed', 'packed ', '', 'BananaPancake'])(
    'refuses the attestation format %j (WebAuthn L3 §7.1 step 21)',
    (fmt) => {
      expect(refusal({ fmt })).toBe('attestation-format-unknown');
    },
  );

  it.each<[string, CborInput]>([
    ['a map', new Map([['x', 1]])],
    ['an array', []],
    ['null', null],
    ['bytes', Buffer.alloc(1)],
    ['undefined', new Raw(Buffer.of(0xf7))],
  ])('refuses the format none with %s as its statement', (_title, attStmt) => {
    expect(refusal({ attStmt })).toBe('attestation-malformed');
  });
});
