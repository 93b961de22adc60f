import { createKeyPair, ALG } from '../authenticator/key-pair.js';
import { FLAGS } from '../authenticator/structures.js';
import type { AuthenticationTweaks } from '../authenticator/tweaks.js';
import {
  AUTHENTICATOR_DATA_CASES,
  clientDataCases,
  frameCases,
  missing,
  notBase64Url,
  set,
  setResponse,
  type ResultCase,
} from './bodies.js';

type Case = ResultCase<AuthenticationTweaks>;

const CODES = {
  type: ['E0011R', 'E0012R', 'E0013R'],
  id: ['E0014R', 'E0015R'],
  response: 'E0016R',
  rest: 'E0010R',
  clientData: 'E0021R',
  tokenBinding: 'E0022R',
} as const;

const append = (byte: number) => (bytes: Buffer) => Buffer.concat([bytes, Buffer.of(byte)]);

const FORMATS: readonly Case[] = [
  ...missing('clientDataJSON', 'E0020R', 'J44', 'E0021R'),
  ...notBase64Url('clientDataJSON', 'E0021R', 'J44'),
  ...missing('authenticatorData', 'E0017R', 'J42', 'E0018R'),
  ...notBase64Url('authenticatorData', 'E0018R', 'J42'),
  ...missing('signature', 'E0019R', 'J43'),
  ...notBase64Url('signature', 'E0019R', 'J43'),
  // An empty user handle counts as none.
  ...missing('userHandle', 'E0010R', 'J45').filter(({ title }) =>
    /number|object|array/.test(title),
  ),
  ...notBase64Url('userHandle', 'E0010R', 'J45'),
];

const AUTHENTICATOR_DATA: readonly Case[] = [
  ...[1, 36].map((length) => ({
    title: `authenticator data of ${length} bytes (D01)`,
    code: 'E0018R',
    tweaks: { authenticatorData: (bytes: Buffer) => bytes.subarray(0, length) },
  })),
  {
    title: 'attested credential data (D26)',
    code: 'E0018R',
    tweaks: { flags: () => FLAGS.UP | FLAGS.AT },
  },
  {
    title: 'ED without extensions (D22)',
    code: 'E0018R',
    tweaks: { flags: () => FLAGS.UP | FLAGS.ED },
  },
  { title: 'bytes without ED (D24)', code: 'E0018R', tweaks: { authenticatorData: append(0xa0) } },
  {
    title: 'wrapped as a CBOR byte string (D36)',
    code: 'E0018R',
    tweaks: { authenticatorData: (bytes) => Buffer.concat([Buffer.of(0x58, 37 | 0x80), bytes]) },
  },
  {
    title: 'BE that was not there at registration (D10)',
    code: 'E0031R',
    tweaks: { flags: (flags) => flags | FLAGS.BE },
  },
];

const flipBit = (bytes: Buffer) => {
  const flipped = Buffer.from(bytes);
  flipped[flipped.length - 1] = (flipped.at(-1) ?? 0) ^ 1;
  return flipped;
};

const SIGNATURES: readonly Case[] = [
  { title: 'one bit flipped (S01)', code: 'E0032R', tweaks: { signature: flipBit } },
  { title: 'other bytes (S01)', code: 'E0032R', tweaks: { signature: () => Buffer.alloc(70, 3) } },
  {
    title: 'of another key (S03)',
    code: 'E0032R',
    tweaks: { signingKey: createKeyPair(ALG.ES256) },
  },
  {
    title: 'of a key of another algorithm (S03)',
    code: 'E0032R',
    tweaks: { signingKey: createKeyPair(ALG.EdDSA) },
  },
  {
    title: 'of a key of the algorithm that the answer names, not of the stored one (S14)',
    code: 'E0032R',
    tweaks: { signingKey: createKeyPair(ALG.RS256) },
    change: setResponse({ publicKeyAlgorithm: ALG.RS256 }),
  },
  { title: 'a byte behind it (S04)', code: 'E0032R', tweaks: { signature: append(0) } },
  {
    title: 'r = 0, s = 0 (S07)',
    code: 'E0032R',
    tweaks: { signature: () => Buffer.from('3006020100020100', 'hex') },
  },
  { title: 'r ‖ s (S09)', code: 'E0032R', tweaks: { signature: () => Buffer.alloc(64, 1) } },
  { title: 'one byte (S10)', code: 'E0032R', tweaks: { signature: () => Buffer.of(1) } },
  {
    title: 'client data changed after signing (C47)',
    code: 'E0032R',
    change: (body) => {
      const text = Buffer.from(String(body.response['clientDataJSON']), 'base64url').toString();
      const changed = Buffer.from(text.replace('{', '{ ')).toString('base64url');
      return setResponse({ clientDataJSON: changed })(body);
    },
  },
];

const CREDENTIALS: readonly Case[] = [
  { title: 'an unknown credential', code: 'E0033R', change: set({ id: 'AQ', rawId: 'AQ' }) },
  {
    title: 'the credential ID in another case (B15)',
    code: 'E0033R',
    change: (body) => {
      const id = body.id.replace(/[a-z]/i, (letter) =>
        letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
      );
      return set({ id, rawId: id })(body);
    },
  },
  {
    title: 'the beginning of the credential ID (B17)',
    code: 'E0033R',
    change: (body) => {
      const id = body.id.slice(0, 40);
      return set({ id, rawId: id })(body);
    },
  },
  { title: 'the user handle of another (L06)', code: 'E0010R', tweaks: { userHandle: 'AAAA' } },
  {
    title: 'a user handle of 65 bytes (L07)',
    code: 'E0010R',
    tweaks: { userHandle: Buffer.alloc(65, 1).toString('base64url') },
  },
];

/** Refusals of assertion/result that need no preparation. */
export const AUTHENTICATION_CASES: readonly Case[] = [
  ...frameCases(CODES),
  ...FORMATS,
  ...clientDataCases(CODES),
  {
    title: 'client data of a registration (C10)',
    code: 'E0027R',
    tweaks: { clientData: { type: 'webauthn.create' } },
  },
  ...AUTHENTICATOR_DATA,
  ...AUTHENTICATOR_DATA_CASES,
  ...CREDENTIALS,
  ...SIGNATURES,
];
