import {
  type AuthenticationCase,
  type RegistrationCase,
  set,
  setResponse,
  type ToolBody,
} from './conformance-case.js';

type Change = (body: ToolBody) => unknown;
type Row = readonly [number: string, words: string, change: Change, code: string];

const NUMBER = 1469;
/** Padding and the other alphabet: text that is no Base64URL. */
const NOT_BASE64URL = '+/=';

const member = (name: string, value: unknown): Change => set({ [name]: value });
const inResponse = (name: string, value: unknown): Change => setResponse({ [name]: value });
const id = (value: unknown): Change => set({ id: value, rawId: value });

const rows = (suite: string, all: readonly Row[]) =>
  all.map(([number, words, change, code]) => ({ id: `${suite} ${number}`, words, change, code }));

/** MakeCredential Response, Resp-1: structure. */
export const REGISTRATION_STRUCTURE: readonly RegistrationCase[] = [
  ...rows('Resp-1', [
    ['F-1', 'id is missing', member('id', undefined), 'E0005R'],
    ['F-2', 'id is not a string', id(NUMBER), 'E0005R'],
    ['F-3', 'id is not Base64URL', id(NOT_BASE64URL), 'E0006R'],
    ['F-4', 'type is missing', member('type', undefined), 'E0002R'],
    ['F-5', 'type is not a string', member('type', NUMBER), 'E0003R'],
    ['F-6', 'type is not "public-key"', member('type', 'private-key'), 'E0004R'],
    ['F-7', 'response is missing', member('response', undefined), 'E0007R'],
    ['F-8', 'response is not an object', member('response', 'text'), 'E0007R'],
    ['F-9', 'clientDataJSON is missing', inResponse('clientDataJSON', undefined), 'E0008R'],
    ['F-10', 'clientDataJSON is not a string', inResponse('clientDataJSON', NUMBER), 'E0008R'],
    ['F-11', 'clientDataJSON is empty', inResponse('clientDataJSON', ''), 'E0008R'],
    ['F-12', 'attestationObject is missing', inResponse('attestationObject', undefined), 'E0007R'],
    ['F-13', 'attestationObject is not a string', inResponse('attestationObject', {}), 'E0007R'],
    ['F-14', 'attestationObject is empty', inResponse('attestationObject', ''), 'E0007R'],
  ]),
  {
    id: 'Resp-1 F-15',
    words: 'UV is clear while userVerification "required" was requested',
    begin: { authenticatorSelection: { userVerification: 'required' } },
    device: { userVerified: false },
    code: 'E0031R',
  },
];

/** GetAssertion Response, Resp-1: structure. */
export const AUTHENTICATION_STRUCTURE: readonly AuthenticationCase[] = [
  ...rows('Assertion Resp-1', [
    ['P-1', 'a valid response', (body) => body, ''],
    ['F-1', 'id is missing', member('id', undefined), 'E0014R'],
    ['F-2', 'id is not a string', id(NUMBER), 'E0014R'],
    ['F-3', 'id is not Base64URL', id(NOT_BASE64URL), 'E0015R'],
    ['F-4', 'type is missing', member('type', undefined), 'E0011R'],
    ['F-5', 'type is not a string', member('type', [NUMBER]), 'E0012R'],
    ['F-6', 'type is not "public-key"', member('type', 'private-key'), 'E0013R'],
    ['F-7', 'response is missing', member('response', undefined), 'E0016R'],
    ['F-8', 'response is not an object', member('response', [NUMBER]), 'E0016R'],
    ['F-9', 'clientDataJSON is missing', inResponse('clientDataJSON', undefined), 'E0020R'],
    ['F-10', 'clientDataJSON is not a string', inResponse('clientDataJSON', true), 'E0021R'],
    ['F-11', 'clientDataJSON is empty', inResponse('clientDataJSON', ''), 'E0021R'],
    ['F-12', 'authenticatorData is missing', inResponse('authenticatorData', undefined), 'E0017R'],
    ['F-13', 'authenticatorData is not a string', inResponse('authenticatorData', {}), 'E0018R'],
    [
      'F-14',
      'authenticatorData is not Base64URL',
      inResponse('authenticatorData', NOT_BASE64URL),
      'E0018R',
    ],
    ['F-15', 'authenticatorData is empty', inResponse('authenticatorData', ''), 'E0018R'],
    ['F-16', 'signature is missing', inResponse('signature', undefined), 'E0019R'],
    ['F-17', 'signature is not a string', inResponse('signature', NUMBER), 'E0019R'],
    ['F-18', 'signature is not Base64URL', inResponse('signature', NOT_BASE64URL), 'E0019R'],
    ['F-19', 'signature is empty', inResponse('signature', ''), 'E0019R'],
    ['F-20', 'the signature does not verify', inResponse('signature', 'MAYCAQECAQE'), 'E0032R'],
    ['F-21', 'userHandle is not a string', inResponse('userHandle', NUMBER), 'E0010R'],
  ]).map(({ code, ...row }) => (code === '' ? row : { ...row, code })),
];

/** Collected client data, Resp-2: the same in both ceremonies, but for their types and codes. */
function clientDataRows(codes: {
  readonly own: string;
  readonly other: string;
  readonly malformed: string;
  readonly tokenBinding: string;
}) {
  const { malformed } = codes;
  const row = (number: string, words: string, members: object, code: string) => ({
    number,
    words,
    tweaks: { clientData: { ...members } },
    code,
  });
  return [
    row('F-1', 'type is missing', { type: undefined }, malformed),
    row('F-2', 'type is not a string', { type: NUMBER }, malformed),
    row('F-3', 'type is empty', { type: '' }, malformed),
    row('F-4', `type is not ${codes.own}`, { type: 'webauthn.sing' }, 'E0027R'),
    row('F-5', `type is ${codes.other}`, { type: codes.other }, 'E0027R'),
    row('F-6', 'challenge is missing', { challenge: undefined }, malformed),
    row('F-7', 'challenge is not a string', { challenge: {} }, malformed),
    row('F-8', 'challenge is empty', { challenge: '' }, malformed),
    row('F-9', 'challenge is not Base64URL', { challenge: NOT_BASE64URL }, malformed),
    row('F-10', 'challenge differs from the issued one', { challenge: 'AAAA' }, 'E0028R'),
    row('F-11', 'origin is missing', { origin: undefined }, malformed),
    row('F-12', 'origin is not a string', { origin: [NUMBER] }, malformed),
    row('F-13', 'origin is empty', { origin: '' }, malformed),
    row('F-14', "origin is not the relying party's", { origin: 'https://a.example' }, 'E0029R'),
    row('F-15', 'tokenBinding is not an object', { tokenBinding: 'x' }, codes.tokenBinding),
    row('F-16', 'tokenBinding has no status', { tokenBinding: { id: 'x' } }, codes.tokenBinding),
    row(
      'F-17',
      'the status of tokenBinding is none of present, supported, not-supported',
      { tokenBinding: { status: 'perhaps' } },
      codes.tokenBinding,
    ),
  ];
}

export const REGISTRATION_CLIENT_DATA: readonly RegistrationCase[] = clientDataRows({
  own: 'webauthn.create',
  other: 'webauthn.get',
  malformed: 'E0008R',
  tokenBinding: 'E0009R',
}).map(({ number, ...row }) => ({ id: `Resp-2 ${number}`, ...row }));

export const AUTHENTICATION_CLIENT_DATA: readonly AuthenticationCase[] = clientDataRows({
  own: 'webauthn.get',
  other: 'webauthn.create',
  malformed: 'E0021R',
  tokenBinding: 'E0022R',
}).map(({ number, ...row }) => ({ id: `Assertion Resp-2 ${number}`, ...row }));
