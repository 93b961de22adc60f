import {
  hasFips,
  hasFipsPhysicalSecurity,
  hasFipsRevision,
  hasProfile,
  isCertifiedAt,
} from '../webauthn/metadata/certification.js';
import { rule, type RegistrationFacts, type NamedRule } from './rule.js';

/** The metadata's entry of the model, if the AAGUID is reliable. */
const known = ({ entry, aaguidCounts }: RegistrationFacts) => (aaguidCounts ? entry : undefined);

const reportsOn = (it: RegistrationFacts) => known(it)?.statusReports ?? [];

const hasOne = (stated: readonly string[] = [], wanted: readonly string[]): boolean =>
  stated.some((item) => wanted.includes(item));

/**
 * Rules about the type of attestation and about the metadata of a model. Models without metadata break all of the
 * latter.
 */
export const MODEL_RULES: readonly NamedRule[] = [
  rule(
    'attestationTypes',
    ['E0038R', 'rule.attestationType'],
    (allowed, { attestationTypes }) => !attestationTypes.every((type) => allowed.includes(type)),
  ),
  rule(
    'certification',
    ['E0038R', 'model.certification'],
    (level, it) => !isCertifiedAt(reportsOn(it), level, it.at),
  ),
  rule(
    'certificationProfiles',
    ['E0038R', 'model.certificationProfile'],
    (profiles, it) => !hasProfile(reportsOn(it), profiles, it.at),
  ),
  rule('fips', ['E0038R', 'model.fips'], (level, it) => !hasFips(reportsOn(it), level, it.at)),
  rule(
    'fipsRevision',
    ['E0038R', 'model.fipsRevision'],
    (revision, it) => !hasFipsRevision(reportsOn(it), revision, it.at),
  ),
  rule(
    'fipsPhysicalSecurity',
    ['E0038R', 'model.fipsPhysical'],
    (level, it) => !hasFipsPhysicalSecurity(reportsOn(it), level, it.at),
  ),
  rule(
    'keyProtection',
    ['E0038R'],
    (wanted, it) => !hasOne(known(it)?.statement?.keyProtection, wanted),
  ),
  rule(
    'matcherProtection',
    ['E0038R'],
    (wanted, it) => !hasOne(known(it)?.statement?.matcherProtection, wanted),
  ),
];
