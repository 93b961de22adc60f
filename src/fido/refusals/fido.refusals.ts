import { AUTHENTICATION_CODES, REGISTRATION_CODES } from './failure-codes.js';

/** Of both result calls, before a body is verified: an unknown relying party, a limit. */
const BEFORE_VERIFICATION = ['E0025R', 'E0040R'] as const;

export const REGISTRATION_REFUSALS = [
  ...new Set(Object.values(REGISTRATION_CODES).filter((code) => code !== 'E0035R')),
  ...BEFORE_VERIFICATION,
  ...(['E0036R', 'E0037R', 'E0043R'] as const),
];

/** Whether a code is about attestation, of which there is none in an authentication. */
const isOfAttestation = (code: string) => /^E(?:100[3-9]R|0038R)$/.test(code);

export const AUTHENTICATION_REFUSALS = [
  ...new Set(Object.values(AUTHENTICATION_CODES).filter((code) => !isOfAttestation(code))),
  ...BEFORE_VERIFICATION,
  ...(['E0033R', 'E0034R', 'E0038R'] as const),
];

/** Refusals of the calls that report a prompt that gave no key. */
export const GIVEN_UP_REFUSALS = ['E0040R'] as const;
