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
  ...missing('clientDataJSON', 'E0008R', 'J40'),
  ...notBase64Url('clientDataJSON', 'E0008R', 'J40'),
  ...missing('attestationObject', 'E0007R', 'J41'),
  ...notBase64Url('attestationObject', 'E0007R', 'J41'),
  ...['usb', [1], {}, Array.from({ length: 65 }, () => 'usb')].map((transports) => ({
    title: `transports ${JSON.stringify(transports).slice(0, 20)} (J47)`,
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
    title: 'client data of an authentication (C09)',
    code: 'E0027R',
    tweaks: { clientData: { type: 'webauthn.get' } },
  },
  ...AUTHENTICATOR_DATA_CASES,
  {
    title: 'another credential ID inside the authenticator data (D27)',
    code: 'E0006R',
    tweaks: { attestedCredentialId: Buffer.alloc(32, 5) },
  },
  ...ATTESTATION_CASES,
  ...KEY_CASES,
];
