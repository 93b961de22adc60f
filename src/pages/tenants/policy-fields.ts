import type { ServerOptions } from '../../config/server-options.js';
import { MODES } from '../../tenancy/policy.js';
import type { RelyingPartyPolicy } from '../../tenancy/policy.js';
import { phrase } from '../../presentation/languages/phrase.js';
import type { Phrase } from '../../presentation/languages/phrase.js';
import { algorithmNames } from '../../validation/algorithm-name.js';
import { ATTESTATION_TYPES } from '../../webauthn/attestation/format.js';
import { supportedFormats } from '../../webauthn/attestation/registry.js';
import {
  CERTIFICATION_LEVELS,
  CERTIFICATION_PROFILES,
  FIPS_LEVELS,
  FIPS_REVISIONS,
} from '../../webauthn/metadata/certification.js';
import { KEY_PROTECTIONS, MATCHER_PROTECTIONS } from '../../webauthn/metadata/statement.js';

/** How values are entered: one of several, some of several, one a line, or a number. */
export type FieldKind = 'choice' | 'ticks' | 'lines' | 'number';

/** A member of the policy as a field of the page; `docs/trust.md` explains each. */
export interface PolicyField {
  readonly name: keyof RelyingPartyPolicy;
  readonly kind: FieldKind;
  /** Values of a choice or of ticks. */
  readonly values?: readonly string[];
  /** What to write, as the message to somebody who wrote something else. */
  readonly demand: string;
}

export const MODE_TEXTS: ReadonlyMap<string, Phrase> = new Map(
  MODES.map((mode) => [mode, phrase(`policy:modes.${mode}`)]),
);

const REQUIREMENTS = ['required', 'preferred', 'discouraged'];
const CHOOSE = 'Choose one of the values.';
const AAGUIDS = 'Write 1 to 500 AAGUIDs as hyphenated UUIDs, one a line.';

const choice = (name: PolicyField['name'], values: readonly string[]): PolicyField => ({
  name,
  kind: 'choice',
  values,
  demand: CHOOSE,
});

const ticks = (name: PolicyField['name'], values: readonly string[]): PolicyField => ({
  name,
  kind: 'ticks',
  values,
  demand: 'Tick at least one.',
});

/** Rules, which have modes, in the order in which they are checked. */
export const RULES: readonly PolicyField[] = [
  choice('registration', ['open', 'first-only', 'ticket']),
  choice('userVerification', REQUIREMENTS),
  choice('residentKey', REQUIREMENTS),
  choice('backupEligible', ['refused', 'allowed']),
  ticks('algorithms', algorithmNames()),
  {
    name: 'block',
    kind: 'lines',
    demand: AAGUIDS,
  },
  {
    name: 'allow',
    kind: 'lines',
    demand: AAGUIDS,
  },
  ticks('formats', [...supportedFormats()]),
  ticks('attestationTypes', ATTESTATION_TYPES),
  choice('certification', CERTIFICATION_LEVELS),
  ticks('certificationProfiles', CERTIFICATION_PROFILES),
  choice('fips', FIPS_LEVELS),
  choice('fipsRevision', FIPS_REVISIONS),
  choice('fipsPhysicalSecurity', FIPS_LEVELS),
  ticks('keyProtection', KEY_PROTECTIONS),
  ticks('matcherProtection', MATCHER_PROTECTIONS),
  {
    name: 'status',
    kind: 'lines',
    demand: 'Write a metadata status and accept, warn or refuse on each line.',
  },
  choice('trust', ['all', 'known']),
  {
    name: 'maxCredentials',
    kind: 'number',
    demand: 'Write a whole number from 1 to 100.',
  },
  choice('counter', ['reject', 'disable']),
];

/** Settings, which nothing can break. */
export const SETTINGS: readonly PolicyField[] = [
  choice('callers', ['any', 'keys']),
  choice('unknownUsers', ['refuse', 'pretend']),
  choice('usernames', ['exact', 'case-insensitive']),
  choice('onFinding', ['report', 'disable', 'refuse-next-sign-in']),
  choice('secondOpinion', ['off', 'report', 'enforce']),
  {
    name: 'audiences',
    kind: 'lines',
    demand: 'Write names or addresses without spaces, such as https://api.example.com, one a line.',
  },
  choice('attestation', ['none', 'indirect', 'direct', 'enterprise']),
  choice('aaguid', ['verified', 'attested', 'reported']),
  {
    name: 'topOrigins',
    kind: 'lines',
    demand: 'Write origins such as https://portal.example.com, one a line.',
  },
  {
    name: 'anchors',
    kind: 'lines',
    demand: 'Paste at most 20 certificates in PEM, and nothing else.',
  },
];

/** The server's options that decide where a policy says nothing. */
export type Deciding = Pick<ServerOptions, 'registration' | 'verify'>;

/** The label of a member. */
export const labelOf = ({ name }: PolicyField): Phrase => phrase(`policy:fields.${name}.label`);
export const hintOf = ({ name }: PolicyField): Phrase => phrase(`policy:fields.${name}.hint`);

/** What applies if a member is not set, in words. */
export function whatHolds({ name }: PolicyField, { registration, verify }: Deciding): Phrase {
  if (name === 'registration') return phrase('policy:asRegistration', { registration });
  if (name === 'userVerification' && verify) return phrase('policy:asVerify');
  return phrase(`policy:fields.${name}.unset`);
}
