import { type StatusReport, currentReports } from './status.js';

/** Levels of FIDO's certification (FIDO Metadata Service v3 §3.1.4), from the least strict. */
export const CERTIFICATION_LEVELS = ['L1', 'L1plus', 'L2', 'L2plus', 'L3', 'L3plus'] as const;
export type CertificationLevel = (typeof CERTIFICATION_LEVELS)[number];

/** Overall levels of FIPS 140 (FIDO Metadata Service v3.1 §3.1.4). */
export const FIPS_LEVELS = ['L1', 'L2', 'L3', 'L4'] as const;
export type FipsLevel = (typeof FIPS_LEVELS)[number];

/** Revisions of FIPS 140 that certificates are of (§3.1.3), from the oldest. */
export const FIPS_REVISIONS = ['140-2', '140-3'] as const;
export type FipsRevision = (typeof FIPS_REVISIONS)[number];

/** What FIDO certifies authenticators for (§3.1.3). */
export const CERTIFICATION_PROFILES = ['consumer', 'enterprise'] as const;

/** From no certification to the strictest; the one without a level is of before there were levels. */
const CERTIFICATIONS: readonly string[] = [
  'NOT_FIDO_CERTIFIED',
  'FIDO_CERTIFIED',
  ...CERTIFICATION_LEVELS.map((level) => `FIDO_CERTIFIED_${level}`),
];
const FIPS: readonly string[] = FIPS_LEVELS.map((level) => `FIPS140_CERTIFIED_${level}`);

/**
 * The certification of a model that took effect last, in the words of the metadata; of several of one day
 * the strictest, since those of the function and of the security come together. Undefined where it has
 * none, or none any more.
 */
export function certificationOf(reports: readonly StatusReport[], at: Date): string | undefined {
  const place = highest(CERTIFICATIONS, reports, at);
  return place > 0 ? CERTIFICATIONS[place] : undefined;
}

/** Whether a model is certified at a level or a stricter one. */
export const isCertifiedAt = (
  reports: readonly StatusReport[],
  level: CertificationLevel,
  at: Date,
): boolean =>
  highest(CERTIFICATIONS, reports, at) >= CERTIFICATIONS.indexOf(`FIDO_CERTIFIED_${level}`);

/** Whether a model has a FIPS 140 certificate of an overall level or a higher one. */
export const hasFips = (reports: readonly StatusReport[], level: FipsLevel, at: Date): boolean =>
  highest(FIPS, reports, at) >= FIPS_LEVELS.indexOf(level);

/** Whether that certificate is of a revision of the standard or a later one. */
export const hasFipsRevision = (
  reports: readonly StatusReport[],
  revision: FipsRevision,
  at: Date,
): boolean =>
  certificates(FIPS, reports, at).some(
    ({ fipsRevision = 0 }) => fipsRevision >= Number(revision.slice('140-'.length)),
  );

/** Whether it certifies a level of physical security or a higher one. */
export const hasFipsPhysicalSecurity = (
  reports: readonly StatusReport[],
  level: FipsLevel,
  at: Date,
): boolean =>
  certificates(FIPS, reports, at).some(
    ({ fipsPhysicalSecurityLevel = 0 }) => fipsPhysicalSecurityLevel > FIPS_LEVELS.indexOf(level),
  );

/** Whether the certification by FIDO is for one of some profiles. */
export const hasProfile = (
  reports: readonly StatusReport[],
  profiles: readonly string[],
  at: Date,
): boolean =>
  certificates(CERTIFICATIONS, reports, at).some(({ certificationProfiles = [] }) =>
    certificationProfiles.some((profile) => profiles.includes(profile)),
  );

/** The place of the highest of the latest reports of a scheme; -1 where it has none. */
const highest = (scheme: readonly string[], reports: readonly StatusReport[], at: Date): number =>
  Math.max(-1, ...certificates(scheme, reports, at).map(({ status }) => scheme.indexOf(status)));

/**
 * The latest reports of a scheme that have not expired. What is known against a model does not expire: only
 * a later report takes it back.
 */
const certificates = (scheme: readonly string[], reports: readonly StatusReport[], at: Date) =>
  currentReports(
    reports.filter(
      ({ status, sunsetDate }) => scheme.includes(status) && (!sunsetDate || sunsetDate > at),
    ),
    at,
  );
