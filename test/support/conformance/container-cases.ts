import { type CborInput, encodeCbor } from '../../../packages/testing/src/cbor-writer.js';
import { FLAGS } from '../../../packages/testing/src/structures.js';
import type { RegistrationTweaks } from '../../../packages/testing/src/tweaks.js';
import { AAGUID } from './models.js';
import { type AuthenticationCase, having, type RegistrationCase } from './conformance-case.js';

const FULL = { attestation: 'packed', aaguid: AAGUID.full } as const;
const EXTENSION_OUTPUTS = new Map([['example.extension', 'an output']]);
const HEADER = 37;
const FLAGS_AT = 32;
/** An algorithm that no metadata lists: ECDH-ES, which the tool sends too. */
const UNLISTED = -42;

type Members = Readonly<Record<string, CborInput | undefined>>;

/** An attestation object of these members alone. */
const object = (members: Members): RegistrationTweaks => ({
  attestationObject: () =>
    encodeCbor(
      new Map(
        Object.entries(members).flatMap(([name, value]): [string, CborInput][] =>
          value === undefined ? [] : [[name, value]],
        ),
      ),
    ),
});

const withFlags = (change: (flags: number) => number) => (bytes: Buffer) => {
  const changed = Buffer.from(bytes);
  changed.writeUInt8(change(changed.readUInt8(FLAGS_AT)), FLAGS_AT);
  return changed;
};

const noAttestedData = withFlags((flags) => flags & ~FLAGS.AT);
const PARTS = { fmt: 'none', attStmt: new Map(), authData: Buffer.alloc(200) };

const rows: readonly (readonly [string, string, RegistrationTweaks, string?])[] = [
  ['P-1', 'a packed with ED set and extension data in authData', { extensions: EXTENSION_OUTPUTS }],
  [
    'F-1',
    'attestationObject is not a CBOR map',
    { attestationObject: () => encodeCbor([]) },
    'E1004R',
  ],
  ['F-2', 'fmt is missing', object({ ...PARTS, fmt: undefined }), 'E1004R'],
  ['F-3', 'fmt is not a string', { fmt: 1469 }, 'E1004R'],
  ['F-4', 'attStmt is missing', object({ ...PARTS, attStmt: undefined }), 'E1004R'],
  ['F-5', 'attStmt is not a map', { attStmt: 'text' }, 'E1004R'],
  ['F-6', 'authData is missing', object({ ...PARTS, authData: undefined }), 'E1004R'],
  ['F-7', 'authData is not a byte string', object({ ...PARTS, authData: 'text' }), 'E1004R'],
  ['F-8', 'authData is empty', { authenticatorData: () => Buffer.alloc(0) }, 'E1001R'],
  [
    'F-9',
    'AT is clear although attested data is present',
    { authenticatorData: noAttestedData },
    'E1002R',
  ],
  [
    'F-10',
    'AT is clear and attested data is absent',
    { authenticatorData: (bytes) => noAttestedData(bytes).subarray(0, HEADER) },
    'E1004R',
  ],
  [
    'F-11',
    'AT is set although attested data is absent',
    { authenticatorData: (bytes) => bytes.subarray(0, HEADER) },
    'E1000R',
  ],
  [
    'F-12',
    'bytes are left over after the attested data',
    { authenticatorData: (bytes) => Buffer.concat([bytes, Buffer.alloc(8, 1)]) },
    'E1002R',
  ],
  ['F-13', 'attStmt of packed is an empty map', { attStmt: new Map() }, 'E1004R'],
  ['F-14', 'alg of packed is missing', having('alg', undefined), 'E1004R'],
  ['F-15', 'alg of packed is not a number', having('alg', 'ES256'), 'E1004R'],
  ['F-16', 'alg of packed is not the one in the metadata', having('alg', UNLISTED), 'E1005R'],
  ['F-17', 'sig of packed is missing', having('sig', undefined), 'E1004R'],
  ['F-18', 'sig of packed is not a byte string', having('sig', 'text'), 'E1004R'],
  ['F-19', 'sig of packed is empty', having('sig', Buffer.alloc(0)), 'E1004R'],
];

/** MakeCredential Response, Resp-3: attestation object. */
export const CONTAINERS: readonly RegistrationCase[] = rows.map(
  ([number, words, tweaks, code]) => ({
    id: `Resp-3 ${number}`,
    words,
    device: FULL,
    tweaks,
    ...(code === undefined ? {} : { code }),
  }),
);

const required = { userVerification: 'required' };
const preferred = { userVerification: 'preferred' };
const discouraged = { userVerification: 'discouraged' };
const unverified = { flags: () => FLAGS.UP };
const verified = { flags: () => FLAGS.UP | FLAGS.UV };

const assertions: readonly AuthenticationCase[] = [
  { id: 'P-1', words: 'an authenticator without a counter', device: { counterStep: 0 } },
  { id: 'P-2', words: 'UV set under "required"', begin: required, tweaks: verified },
  { id: 'P-3', words: 'UV clear under "preferred"', begin: preferred, tweaks: unverified },
  { id: 'P-4', words: 'UV set under "preferred"', begin: preferred, tweaks: verified },
  { id: 'P-5', words: 'UV clear under "discouraged"', begin: discouraged, tweaks: unverified },
  { id: 'P-6', words: 'UV set under "discouraged"', begin: discouraged, tweaks: verified },
  { id: 'P-7', words: 'ED set with extension data', tweaks: { extensions: EXTENSION_OUTPUTS } },
  {
    id: 'F-1',
    words: 'bytes are left over in authenticatorData',
    tweaks: { authenticatorData: (bytes) => Buffer.concat([bytes, Buffer.alloc(8, 1)]) },
    code: 'E0018R',
  },
  {
    id: 'F-2',
    words: 'rpIdHash is wrong',
    tweaks: { rpIdHash: Buffer.alloc(32, 1) },
    code: 'E0030R',
  },
  {
    id: 'F-3',
    words: 'clientDataHash is wrong',
    change: (body) => ({ ...body, response: { ...body.response, ...otherClientData(body) } }),
    code: 'E0032R',
  },
  { id: 'F-4', words: 'the counter did not increase', tweaks: { signCount: 1 }, code: 'E0035R' },
  {
    id: 'F-5',
    words: 'only UP is set under "required"',
    begin: required,
    tweaks: unverified,
    code: 'E0031R',
  },
];

/** The same client data with a member more, after it was signed. */
function otherClientData({ response }: { readonly response: Readonly<Record<string, unknown>> }) {
  const json = Buffer.from(String(response['clientDataJSON']), 'base64url').toString();
  const clientDataJSON = Buffer.from(json.replace('{', '{"more":1,')).toString('base64url');
  return { clientDataJSON };
}

/** GetAssertion Response, Resp-3: authenticator data. */
export const AUTHENTICATOR_DATA: readonly AuthenticationCase[] = assertions.map((row) => ({
  ...row,
  id: `Assertion Resp-3 ${row.id}`,
}));
