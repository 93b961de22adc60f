import { createKeyPair, ALG } from '../../../packages/testing/src/key-pair.js';
import { FLAGS } from '../../../packages/testing/src/structures.js';
import type { AuthenticationTweaks } from '../../../packages/testing/src/tweaks.js';
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
  ...missing('clientDataJSON', 'E0020R', 'E0021R'),
  ...notBase64Url('clientDataJSON', 'E0021R'),
  ...missing('authenticatorData', 'E0017R', 'E0018R'),
  ...notBase64Url('authenticatorData', 'E0018R'),
  ...missing('signature', 'E0019R'),
  ...notBase64Url('signature', 'E0019R'),
  // An empty user handle counts as none.
  ...missing('userHandle', 'E0010R').filter(({ title }) => /number|object|array/.test(title)),
  ...notBase64Url('userHandle', 'E0010R'),
];

const AUTHENTICATOR_DATA: readonly Case[] = [
  ...[1, 36].map((length) => ({
    title: `authenticator data has ${length} ${length === 1 ? 'byte' : 'bytes'}`,
    code: 'E0018R',
    tweaks: { authenticatorData: (bytes: Buffer) => bytes.subarray(0, length) },
  })),
  {
    title: 'authenticator data has attested credential data',
    code: 'E0018R',
    tweaks: { flags: () => FLAGS.UP | FLAGS.AT },
  },
  {
    title: 'ED is set without extensions',
    code: 'E0018R',
    tweaks: { flags: () => FLAGS.UP | FLAGS.ED },
  },
  {
    title: 'a byte follows although ED is clear',
    code: 'E0018R',
    tweaks: { authenticatorData: append(0xa0) },
  },
  {
    title: 'authenticator data is wrapped in a CBOR byte string',
    code: 'E0018R',
    tweaks: { authenticatorData: (bytes) => Buffer.concat([Buffer.of(0x58, 37 | 0x80), bytes]) },
  },
  {
    title: 'BE is set but was not at registration',
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
  { title: 'a bit of the signature is flipped', code: 'E0032R', tweaks: { signature: flipBit } },
  {
    title: 'the signature consists of other bytes',
    code: 'E0032R',
    tweaks: { signature: () => Buffer.alloc(70, 3) },
  },
  {
    title: 'the signature is that of another key',
    code: 'E0032R',
    tweaks: { signingKey: createKeyPair(ALG.ES256) },
  },
  {
    title: 'the signature is that of a key of another algorithm',
    code: 'E0032R',
    tweaks: { signingKey: createKeyPair(ALG.EdDSA) },
  },
  {
    title: 'the signature has an algorithm that only the answer names',
    code: 'E0032R',
    tweaks: { signingKey: createKeyPair(ALG.RS256) },
    change: setResponse({ publicKeyAlgorithm: ALG.RS256 }),
  },
  { title: 'a byte follows the signature', code: 'E0032R', tweaks: { signature: append(0) } },
  {
    title: 'r and s of the signature are 0',
    code: 'E0032R',
    tweaks: { signature: () => Buffer.from('3006020100020100', 'hex') },
  },
  {
    title: 'the signature is r ‖ s',
    code: 'E0032R',
    tweaks: { signature: () => Buffer.alloc(64, 1) },
  },
  {
    title: 'the signature has one byte',
    code: 'E0032R',
    tweaks: { signature: () => Buffer.of(1) },
  },
  {
    title: 'client data was changed after signing',
    code: 'E0032R',
    change: (body) => {
      const text = Buffer.from(String(body.response['clientDataJSON']), 'base64url').toString();
      const changed = Buffer.from(text.replace('{', '{ ')).toString('base64url');
      return setResponse({ clientDataJSON: changed })(body);
    },
  },
];

const CREDENTIALS: readonly Case[] = [
  { title: 'the credential is unknown', code: 'E0033R', change: set({ id: 'AQ', rawId: 'AQ' }) },
  {
    title: 'a letter of the credential ID has another case',
    code: 'E0033R',
    change: (body) => {
      const id = body.id.replace(/[a-z]/i, (letter) =>
        letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
      );
      return set({ id, rawId: id })(body);
    },
  },
  {
    title: 'the credential ID is truncated',
    code: 'E0033R',
    change: (body) => {
      const id = body.id.slice(0, 40);
      return set({ id, rawId: id })(body);
    },
  },
  { title: 'the user handle is another one', code: 'E0010R', tweaks: { userHandle: 'AAAA' } },
  {
    title: 'the user handle has 65 bytes',
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
    title: 'client data is that of a registration',
    code: 'E0027R',
    tweaks: { clientData: { type: 'webauthn.create' } },
  },
  ...AUTHENTICATOR_DATA,
  ...AUTHENTICATOR_DATA_CASES,
  ...CREDENTIALS,
  ...SIGNATURES,
];
