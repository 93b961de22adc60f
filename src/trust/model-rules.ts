import {
  hasFips,
  hasFipsPhysicalSecurity,
  hasFipsRevision,
  hasProfile,
  isCertifiedAt,
} from '../webauthn/metadata/certification.js';
import { rule, type RegistrationFacts, type NamedRule } from './rule.js';

/** The metadata's entry of the model, where the AAGUID may be relied on. */
const known = ({ entry, aaguidCounts }: RegistrationFacts) => (aaguidCounts ? entry : undefined);

const reportsOn = (it: RegistrationFacts) => known(it)?.statusReports ?? [];

const hasOne = (stated: readonly string[] = [], wanted: readonly string[]): boolean =>
  stated.some((item) => wanted.includes(item));

/**
 * Rules about the type of attestation and about what metadata states of a model. Models without metadata
 * break all of the latter.
 */
export const MODEL_RULES: readonly NamedRule[] = [
  [
    'attestationTypes',
    rule(
      ({ attestationTypes }) => attestationTypes,
      (allowed, { attestationTypes }) => !attestationTypes.every((type) => allowed.includes(type)),
      ['E0038R', 'rule.attestationType'],
    ),
  ],
  [
    'certification',
    rule(
      ({ certification }) => certification,
      (level, it) => !isCertifiedAt(reportsOn(it), level, it.at),
      ['E0038R', 'model.certification'],
    ),
  ],
  [
    'certificationProfiles',
    rule(
      ({ certificationProfiles }) => certificationProfiles,
      (profiles, it) => !hasProfile(reportsOn(it), profiles, it.at),
      ['E0038R', 'model.certificationProfile'],
    ),
  ],
  [
    'fips',
    rule(
      ({ fips }) => fips,
      (level, it) => !hasFips(reportsOn(it), level, it.at),
      ['E0038R', 'model.fips'],
    ),
  ],
  [
    'fipsRevision',
    rule(
      ({ fipsRevision }) => fipsRevision,
      (revision, it) => !hasFipsRevision(reportsOn(it), revision, it.at),
      ['E0038R', 'model.fipsRevision'],
    ),
  ],
  [
    'fipsPhysicalSecurity',
    rule(
      ({ fipsPhysicalSecurity }) => fipsPhysicalSecurity,
      (level, it) => !hasFipsPhysicalSecurity(reportsOn(it), level, it.at),
      ['E0038R', 'model.fipsPhysical'],
    ),
  ],
  [
    'keyProtection',
    rule(
      ({ keyProtection }) => keyProtection,
      (wanted, it) => !hasOne(known(it)?.statement?.keyProtection, wanted),
      ['E0038R'],
    ),
  ],
  [
    'matcherProtection',
    rule(
      ({ matcherProtection }) => matcherProtection,
      (wanted, it) => !hasOne(known(it)?.statement?.matcherProtection, wanted),
      ['E0038R'],
    ),
  ],
];
