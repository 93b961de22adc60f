import {
  register,
  registrationBody,
  verifyBody,
} from '../../../test/support/authenticator/ceremony.js';
import {
  encodeCbor,
  type CborInput,
  Raw,
} from '../../../test/support/authenticator/cbor-writer.js';
import { failureOf } from '../../../test/support/authenticator/failure-of.js';
import type { RegistrationTweaks } from '../../../test/support/authenticator/tweaks.js';
import type { Failure } from '../failure.js';

describe('§6.5.4 the attestation object', () => {
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
    ['an array (E01)', 'attestation-malformed', encodeCbor([])],
    ['nothing (E01)', 'data-cut', Buffer.alloc(0)],
    ['without fmt (E04)', 'attestation-malformed', without('fmt')],
    ['without attStmt (E04)', 'attestation-malformed', without('attStmt')],
    ['without authData (E04)', 'attestation-malformed', without('authData')],
    ['with an integer key (E06)', 'attestation-malformed', withEntry(1, 'none')],
    ['authData as text (E13)', 'attestation-malformed', withEntry('authData', 'x'.repeat(37))],
    ['authData as a map (E21)', 'attestation-malformed', withEntry('authData', new Map())],
    ['authData empty (E21)', 'data-cut', withEntry('authData', Buffer.alloc(0))],
    ['attStmt null (E20)', 'attestation-malformed', withEntry('attStmt', null)],
    ['Resp-3 F-3: fmt not text', 'attestation-malformed', withEntry('fmt', 1)],
  ])('%s is refused: %s', (_title, failure, object) => {
    expect(refusalOf(object)).toBe(failure);
  });

  it('accepts an unchanged object', () => {
    expect(refusalOf(encodeCbor(new Map(entries)))).toBeUndefined();
  });

  it('refuses a trailing byte (E03)', () => {
    const attestationObject = (object: Buffer) => Buffer.concat([object, Buffer.of(0)]);
    expect(refusal({ attestationObject })).toBe('data-left-over');
  });

  it('refuses an object truncated at any byte (E02)', () => {
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

  it('refuses a member that occurs twice (E05)', () => {
    const twice = Buffer.concat([
      Buffer.of(0xa4),
      ...entries.flatMap(([key, value]) => [encodeCbor(key), encodeCbor(value)]),
      encodeCbor('fmt'),
      encodeCbor('packed'),
    ]);
    expect(refusalOf(twice)).toBe('attestation-malformed');
  });

  it('ignores an additional text member (E07)', () => {
    const attestationObject = (object: Buffer) =>
      Buffer.concat([Buffer.of(0xa4), object.subarray(1), encodeCbor('epAtt'), encodeCbor(true)]);
    expect(refusal({ attestationObject })).toBeUndefined();
  });

  it.each(['__proto__', 'constructor', 'toString', 'Packed', 'packed ', '', 'BananaPancake'])(
    'refuses fmt %j (E18, E19)',
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
  ])('refuses none with %s as its statement (NO01)', (_title, attStmt) => {
    expect(refusal({ attStmt })).toBe('attestation-malformed');
  });
});
