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
} from './bodies.js';
import type { ResultCase } from './bodies.js';

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
    title: `D01 authenticator data of ${length} bytes`,
    code: 'E0018R',
    tweaks: { authenticatorData: (bytes: Buffer) => bytes.subarray(0, length) },
  })),
  {
    title: 'D26 attested credential data',
    code: 'E0018R',
    tweaks: { flags: () => FLAGS.UP | FLAGS.AT },
  },
  {
    title: 'D22 ED without extensions',
    code: 'E0018R',
    tweaks: { flags: () => FLAGS.UP | FLAGS.ED },
  },
  { title: 'D24 bytes without ED', code: 'E0018R', tweaks: { authenticatorData: append(0xa0) } },
  {
    title: 'D36 wrapped as a CBOR byte string',
    code: 'E0018R',
    tweaks: { authenticatorData: (bytes) => Buffer.concat([Buffer.of(0x58, 37 | 0x80), bytes]) },
  },
  {
    title: 'D10 BE that was not there at registration',
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
  { title: 'S01 one bit flipped', code: 'E0032R', tweaks: { signature: flipBit } },
  { title: 'S01 other bytes', code: 'E0032R', tweaks: { signature: () => Buffer.alloc(70, 3) } },
  { title: 'S03 of another key', code: 'E0032R', tweaks: { signingKey: createKeyPair(ALG.ES256) } },
  {
    title: 'S03 of a key of another algorithm',
    code: 'E0032R',
    tweaks: { signingKey: createKeyPair(ALG.EdDSA) },
  },
  {
    title: 'S14 of a key of the algorithm that the answer names, not of the stored one',
    code: 'E0032R',
    tweaks: { signingKey: createKeyPair(ALG.RS256) },
    change: setResponse({ publicKeyAlgorithm: ALG.RS256 }),
  },
  { title: 'S04 a byte behind it', code: 'E0032R', tweaks: { signature: append(0) } },
  {
    title: 'S07 r = 0, s = 0',
    code: 'E0032R',
    tweaks: { signature: () => Buffer.from('3006020100020100', 'hex') },
  },
  { title: 'S09 r ‖ s', code: 'E0032R', tweaks: { signature: () => Buffer.alloc(64, 1) } },
  { title: 'S10 one byte', code: 'E0032R', tweaks: { signature: () => Buffer.of(1) } },
  {
    title: 'C47 client data changed after signing',
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
    title: 'B15 the credential ID in another case',
    code: 'E0033R',
    change: (body) => {
      const id = body.id.replace(/[a-z]/i, (letter) =>
        letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
      );
      return set({ id, rawId: id })(body);
    },
  },
  {
    title: 'B17 the beginning of the credential ID',
    code: 'E0033R',
    change: (body) => {
      const id = body.id.slice(0, 40);
      return set({ id, rawId: id })(body);
    },
  },
  { title: 'L06 the user handle of another', code: 'E0010R', tweaks: { userHandle: 'AAAA' } },
  {
    title: 'L07 a user handle of 65 bytes',
    code: 'E0010R',
    tweaks: { userHandle: Buffer.alloc(65, 1).toString('base64url') },
  },
];

/** What assertion/result refuses without any preparation. */
export const AUTHENTICATION_CASES: readonly Case[] = [
  ...frameCases(CODES),
  ...FORMATS,
  ...clientDataCases(CODES),
  {
    title: 'C10 client data of a registration',
    code: 'E0027R',
    tweaks: { clientData: { type: 'webauthn.create' } },
  },
  ...AUTHENTICATOR_DATA,
  ...AUTHENTICATOR_DATA_CASES,
  ...CREDENTIALS,
  ...SIGNATURES,
];
