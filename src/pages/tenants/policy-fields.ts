import type { ServerOptions } from '../../config/server-options.js';
import { MODES } from '../../tenancy/policy.js';
import type { RelyingPartyPolicy } from '../../tenancy/policy.js';
import { algorithmNames } from '../../validation/algorithm-name.js';
import { ATTESTATION_TYPES } from '../../webauthn/attestation/format.js';
import { supportedFormats } from '../../webauthn/attestation/registry.js';
import { CERTIFICATION_LEVELS, FIPS_LEVELS } from '../../webauthn/metadata/certification.js';
import { KEY_PROTECTIONS, MATCHER_PROTECTIONS } from '../../webauthn/metadata/statement.js';

/** How a value is entered: one of several, some of several, a line each, or a number. */
export type FieldKind = 'choice' | 'ticks' | 'lines' | 'number';

/** A member of the policy as people meet it; `docs/trust.md` explains each. */
export interface PolicyField {
  readonly name: keyof RelyingPartyPolicy;
  readonly label: string;
  readonly hint: string;
  readonly kind: FieldKind;
  /** Values of a choice or of ticks. */
  readonly values?: readonly string[];
  /** What holds where it is not set; where an option decides, {@link whatHolds} says what that says. */
  readonly unset: string;
  /** What to write, for somebody who wrote something else. */
  readonly demand: string;
}

export const MODE_TEXTS: ReadonlyMap<string, string> = new Map(
  MODES.map((mode): [string, string] => [mode, mode[0]?.toUpperCase() + mode.slice(1)]),
);

const REQUIREMENTS = ['required', 'preferred', 'discouraged'];
const CHOOSE = 'Choose one of the values.';
const AAGUIDS = 'Write 1 to 500 AAGUIDs as hyphenated UUIDs, one a line.';

const choice = (
  name: PolicyField['name'],
  [label, hint, unset]: readonly [string, string, string],
  values: readonly string[],
): PolicyField => ({ name, label, hint, unset, kind: 'choice', values, demand: CHOOSE });

const ticks = (
  name: PolicyField['name'],
  [label, hint, unset]: readonly [string, string, string],
  values: readonly string[],
): PolicyField => ({
  ...{ name, label, hint, unset, values },
  kind: 'ticks',
  demand: 'Tick at least one.',
});

/** Rules, which have modes, in the order in which they are checked. */
export const RULES: readonly PolicyField[] = [
  choice(
    'registration',
    [
      'Who may register',
      'The stricter of this and the option --registration counts.',
      'what --registration says',
    ],
    ['open', 'first-only', 'ticket'],
  ),
  choice(
    'userVerification',
    [
      'User verification',
      'PIN, fingerprint or face, at every ceremony.',
      'preferred, unless the caller asks otherwise',
    ],
    REQUIREMENTS,
  ),
  choice(
    'residentKey',
    [
      'Resident key',
      'A key that the device finds by itself, without a user name.',
      'preferred, unless the caller asks otherwise',
    ],
    REQUIREMENTS,
  ),
  choice(
    'backupEligible',
    ['Keys that can be synced', 'Refuse them where a key must stay on its device.', 'allowed'],
    ['refused', 'allowed'],
  ),
  ticks(
    'algorithms',
    [
      'Algorithms',
      'Which signatures new keys may make.',
      'es256, eddsa and rs256, unless the caller asks for others',
    ],
    algorithmNames(),
  ),
  {
    name: 'block',
    label: 'Blocked models',
    hint: 'AAGUIDs, one a line: proved or only reported.',
    unset: 'none',
    kind: 'lines',
    demand: AAGUIDS,
  },
  {
    name: 'allow',
    label: 'Allowed models',
    hint: 'AAGUIDs, one a line: no other model may register.',
    unset: 'every model',
    kind: 'lines',
    demand: AAGUIDS,
  },
  ticks(
    'formats',
    [
      'Attestation formats',
      'All others are refused; “none” is what does not attest.',
      'every format',
    ],
    [...supportedFormats()],
  ),
  ticks(
    'attestationTypes',
    [
      'Types of attestation',
      'All others are refused; “none” is what does not attest, “self” what only its own key vouches for.',
      'every type',
    ],
    ATTESTATION_TYPES,
  ),
  choice(
    'certification',
    [
      'FIDO certification',
      'The least level that the metadata tells of the model; models that it does not know have none.',
      'none needed',
    ],
    CERTIFICATION_LEVELS,
  ),
  choice(
    'fips',
    ['FIPS 140', 'The least overall level that the metadata tells of the model.', 'none needed'],
    FIPS_LEVELS,
  ),
  ticks(
    'keyProtection',
    [
      'Protection of keys',
      'The metadata must state one of these for the model.',
      'any, or none stated',
    ],
    KEY_PROTECTIONS,
  ),
  ticks(
    'matcherProtection',
    [
      'Protection of the matcher',
      'Where fingerprint, face or PIN is compared: the metadata must state one of these.',
      'any, or none stated',
    ],
    MATCHER_PROTECTIONS,
  ),
  {
    name: 'status',
    label: 'Status in the metadata',
    hint: 'Other verdicts than the usual ones, one a line: UPDATE_AVAILABLE: refuse',
    unset: 'the usual verdicts',
    kind: 'lines',
    demand: 'Write a metadata status and accept, warn or refuse on each line.',
  },
  choice(
    'trust',
    [
      'Trusted attestation',
      'The attestation must lead to a trust anchor: of all, or of models that the metadata knows ' +
        'where attestation was asked for.',
      'known',
    ],
    ['all', 'known'],
  ),
  {
    name: 'maxCredentials',
    label: 'Keys of one user',
    hint: 'At most so many, 1 to 100.',
    unset: '100',
    kind: 'number',
    demand: 'Write a whole number from 1 to 100.',
  },
  choice(
    'counter',
    [
      'Signature counter',
      'What a counter that did not rise means: perhaps a copied key.',
      'reject',
    ],
    ['reject', 'disable'],
  ),
];

/** Settings, which nothing can break. */
export const SETTINGS: readonly PolicyField[] = [
  choice(
    'callers',
    [
      'Who may call',
      'Anybody, or applications with their keys alone: then no page of a browser.',
      'any',
    ],
    ['any', 'keys'],
  ),
  choice(
    'unknownUsers',
    [
      'Names that cannot sign in',
      'Refuse them, or pretend that they have keys, so that nobody learns who is a user here. Needs a ' +
        'ticket for a registration, or applications alone as callers.',
      'refuse',
    ],
    ['refuse', 'pretend'],
  ),
  choice(
    'usernames',
    [
      'Case of user names',
      'Whether “Anna” and “anna” are two users, or one who is found in any case. Names that would become one ' +
        'user are told when you save, and nothing is changed then.',
      'exact',
    ],
    ['exact', 'case-insensitive'],
  ),
  choice(
    'onFinding',
    [
      'Keys that would not pass any more',
      'When metadata, lists or this policy change, every key is held against them again. What does not ' +
        'pass is reported, and perhaps disabled or refused until it passes again.',
      'report',
    ],
    ['report', 'disable', 'refuse-next-sign-in'],
  ),
  choice(
    'secondOpinion',
    [
      'Second opinion',
      'Another implementation verifies registrations too: what it refuses is reported, or refused. ' +
        'Sign-ins are not touched.',
      'off',
    ],
    ['off', 'report', 'enforce'],
  ),
  {
    name: 'audiences',
    label: 'Audiences of tokens',
    hint: 'For whom a sign-in may ask for a token, one a line; at most 20.',
    unset: 'the relying party alone',
    kind: 'lines',
    demand: 'Write names or addresses without spaces, such as https://api.example.com, one a line.',
  },
  choice(
    'attestation',
    [
      'Attestation to ask for',
      'Whatever the caller asks for.',
      'none, unless the caller asks for it',
    ],
    ['none', 'indirect', 'direct', 'enterprise'],
  ),
  choice(
    'aaguid',
    ['A model counts when it is', 'For the allowed models and the whitelist.', 'verified'],
    ['verified', 'attested', 'reported'],
  ),
  {
    name: 'topOrigins',
    label: 'Pages that may embed the ceremony',
    hint: 'Origins, one a line.',
    unset: 'none',
    kind: 'lines',
    demand: 'Write origins such as https://portal.example.com, one a line.',
  },
  {
    name: 'anchors',
    label: 'Trust anchors',
    hint: 'Certificates in PEM, besides those of metadata; at most 20.',
    unset: 'none',
    kind: 'lines',
    demand: 'Paste at most 20 certificates in PEM, and nothing else.',
  },
];

/** The options of the server that decide where a policy says nothing. */
export type Deciding = Pick<ServerOptions, 'registration' | 'verify'>;

/** What holds where a member is not set, in words. */
export function whatHolds(
  { name, unset }: PolicyField,
  { registration, verify }: Deciding,
): string {
  if (name === 'registration') return `${registration}, as --registration says`;
  if (name === 'userVerification' && verify) return 'required, as --verify says';
  return unset;
}
