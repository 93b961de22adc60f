import {
  AUTHENTICATOR_DATA_CASES,
  clientDataCases,
  frameCases,
  missing,
  notBase64Url,
  setResponse,
  type RegistrationCase,
} from './bodies.js';
import { ATTESTATION_CASES } from './attestation-cases.js';
import { KEY_CASES } from './key-cases.js';

const CODES = {
  type: ['E0002R', 'E0003R', 'E0004R'],
  id: ['E0005R', 'E0006R'],
  response: 'E0007R',
  rest: 'E0007R',
  clientData: 'E0008R',
  tokenBinding: 'E0009R',
} as const;

const FORMATS: readonly RegistrationCase[] = [
  ...missing('clientDataJSON', 'E0008R'),
  ...notBase64Url('clientDataJSON', 'E0008R'),
  ...missing('attestationObject', 'E0007R'),
  ...notBase64Url('attestationObject', 'E0007R'),
  ...['usb', [1], {}, Array.from({ length: 65 }, () => 'usb')].map((transports) => ({
    title: `transports is ${JSON.stringify(transports).slice(0, 20)}`,
    code: 'E0007R',
    change: setResponse({ transports }),
  })),
];

/** Refusals of attestation/result that need no preparation. */
export const REGISTRATION_CASES: readonly RegistrationCase[] = [
  ...frameCases(CODES),
  ...FORMATS,
  ...clientDataCases(CODES),
  {
    title: 'client data is that of a sign-in',
    code: 'E0027R',
    tweaks: { clientData: { type: 'webauthn.get' } },
  },
  ...AUTHENTICATOR_DATA_CASES,
  {
    title: 'the credential ID in authenticator data is another one',
    code: 'E0006R',
    tweaks: { attestedCredentialId: Buffer.alloc(32, 5) },
  },
  ...ATTESTATION_CASES,
  ...KEY_CASES,
];
