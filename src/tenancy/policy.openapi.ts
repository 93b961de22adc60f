import type { ApiPropertyOptions } from '@nestjs/swagger';
import { ATTESTATION_TYPES } from '../webauthn/attestation/format.js';
import {
  CERTIFICATION_LEVELS,
  CERTIFICATION_PROFILES,
  FIPS_LEVELS,
  FIPS_REVISIONS,
} from '../webauthn/metadata/certification.js';
import { KEY_PROTECTIONS, MATCHER_PROTECTIONS } from '../webauthn/metadata/statement.js';

type Schema = NonNullable<ApiPropertyOptions['oneOf']>[number];

const MODE = { type: 'string' as const, enum: ['off', 'report', 'enforce'] };

const PHASE = {
  when: { type: 'string' as const, enum: ['registration', 'both'] },
  from: { type: 'string' as const, format: 'date', example: '2027-01-01' },
};

/** A rule in both of its forms: the value alone, or with its mode. */
const rule = (value: Schema, member: 'value' | 'list' = 'value'): { oneOf: Schema[] } => ({
  oneOf: [
    value,
    {
      type: 'object',
      required: ['mode', member],
      properties: { mode: MODE, [member]: value, ...PHASE },
    },
  ],
});

const word = (...words: string[]) => rule({ type: 'string', enum: words });
const strings = (example: string) => ({
  type: 'array' as const,
  items: { type: 'string', example },
});

const some = (words: readonly string[]) =>
  rule({ type: 'array', items: { type: 'string', enum: [...words] } }, 'list');

/** The policy of a relying party in the OpenAPI document; `docs/trust.md` explains it. */
export const POLICY_SCHEMA: ApiPropertyOptions = {
  type: 'object',
  additionalProperties: false,
  description:
    'What the relying party demands. A rule is its value alone, which is enforced, or ' +
    '{"mode": "off" | "report" | "enforce", "value" | "list": …}; "report" lets the ceremony ' +
    'pass and leaves an event.',
  properties: {
    attestation: { type: 'string', enum: ['none', 'indirect', 'direct', 'enterprise'] },
    aaguid: { type: 'string', enum: ['verified', 'attested', 'reported'] },
    anchors: strings('-----BEGIN CERTIFICATE-----…'),
    topOrigins: strings('https://portal.example.com'),
    userVerification: word('required', 'preferred', 'discouraged'),
    residentKey: word('required', 'preferred', 'discouraged'),
    registration: word('open', 'first-only', 'ticket'),
    audiences: strings('https://api.example.com'),
    callers: { type: 'string', enum: ['any', 'keys'] },
    onFinding: { type: 'string', enum: ['report', 'disable', 'refuse-next-sign-in'] },
    secondOpinion: MODE,
    unknownUsers: { type: 'string', enum: ['refuse', 'pretend'] },
    usernames: { type: 'string', enum: ['exact', 'case-insensitive'] },
    counter: word('reject', 'warn', 'disable'),
    trust: {
      oneOf: [
        { type: 'string', enum: ['known', 'all', ...MODE.enum] },
        {
          type: 'object',
          required: ['mode'],
          properties: { mode: MODE, value: { type: 'string', enum: ['known', 'all'] }, ...PHASE },
        },
      ],
    },
    attestationTypes: some(ATTESTATION_TYPES),
    certification: word(...CERTIFICATION_LEVELS),
    certificationProfiles: some(CERTIFICATION_PROFILES),
    fips: word(...FIPS_LEVELS),
    fipsRevision: word(...FIPS_REVISIONS),
    fipsPhysicalSecurity: word(...FIPS_LEVELS),
    keyProtection: some(KEY_PROTECTIONS),
    matcherProtection: some(MATCHER_PROTECTIONS),
    formats: rule(strings('packed'), 'list'),
    algorithms: rule(strings('es256'), 'list'),
    allow: rule(strings('ee882879-721c-4913-9775-3dfcce97072a'), 'list'),
    block: rule(strings('ee882879-721c-4913-9775-3dfcce97072a'), 'list'),
    backupEligible: word('allowed', 'refused'),
    maxCredentials: rule({ type: 'integer', minimum: 1, maximum: 100 }),
    status: {
      type: 'object',
      properties: { mode: MODE, ...PHASE },
      additionalProperties: { type: 'string', enum: ['accept', 'warn', 'refuse'] },
      example: { mode: 'enforce', UPDATE_AVAILABLE: 'warn', REVOKED: 'refuse' },
    },
  },
  example: {
    userVerification: 'required',
    counter: 'disable',
    trust: { mode: 'report' },
    formats: { mode: 'enforce', list: ['packed'] },
  },
};
