import { type StatusReport, currentReports } from './status.js';

/** FIDO certification levels (FIDO Metadata Service v3 §3.1.4), from the least strict. */
export const CERTIFICATION_LEVELS = ['L1', 'L1plus', 'L2', 'L2plus', 'L3', 'L3plus'] as const;
type CertificationLevel = (typeof CERTIFICATION_LEVELS)[number];

/** Overall levels of FIPS 140 (FIDO Metadata Service v3.1 §3.1.4). */
export const FIPS_LEVELS = ['L1', 'L2', 'L3', 'L4'] as const;
type FipsLevel = (typeof FIPS_LEVELS)[number];

/** Revisions of FIPS 140 for which certificates exist (§3.1.3), from the oldest. */
export const FIPS_REVISIONS = ['140-2', '140-3'] as const;
type FipsRevision = (typeof FIPS_REVISIONS)[number];

/** Uses for which FIDO certifies authenticators, as in `certificationProfiles` (§3.1.3). */
export const CERTIFICATION_PROFILES = ['consumer', 'enterprise'] as const;

/** Statuses from no certification to the strictest; `FIDO_CERTIFIED` is older than the levels. */
const CERTIFICATIONS: readonly string[] = [
  'NOT_FIDO_CERTIFIED',
  'FIDO_CERTIFIED',
  ...CERTIFICATION_LEVELS.map((level) => `FIDO_CERTIFIED_${level}`),
];
const FIPS: readonly string[] = FIPS_LEVELS.map((level) => `FIPS140_CERTIFIED_${level}`);

/**
 * The latest certification status of a model in effect; the strictest if several took effect on the same day, since
 * functional and security certification are reported together. `undefined` if the model has no certification, or
 * its certification has expired.
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

/** Whether a model has a FIPS 140 certificate of at least this overall level. */
export const hasFips = (reports: readonly StatusReport[], level: FipsLevel, at: Date): boolean =>
  highest(FIPS, reports, at) >= FIPS_LEVELS.indexOf(level);

/** Whether a model has a FIPS 140 certificate for this revision of the standard or a later one. */
export const hasFipsRevision = (
  reports: readonly StatusReport[],
  revision: FipsRevision,
  at: Date,
): boolean =>
  certificates(FIPS, reports, at).some(
    ({ fipsRevision = 0 }) => fipsRevision >= Number(revision.slice('140-'.length)),
  );

/** Whether a model has a FIPS 140 certificate of at least this level of physical security. */
export const hasFipsPhysicalSecurity = (
  reports: readonly StatusReport[],
  level: FipsLevel,
  at: Date,
): boolean =>
  certificates(FIPS, reports, at).some(
    ({ fipsPhysicalSecurityLevel = 0 }) => fipsPhysicalSecurityLevel > FIPS_LEVELS.indexOf(level),
  );

/** Whether FIDO has certified a model for at least one of the profiles. */
export const hasProfile = (
  reports: readonly StatusReport[],
  profiles: readonly string[],
  at: Date,
): boolean =>
  certificates(CERTIFICATIONS, reports, at).some(({ certificationProfiles = [] }) =>
    certificationProfiles.some((profile) => profiles.includes(profile)),
  );

/** Index in the scheme of the highest status among the latest reports; -1 if there is none. */
const highest = (scheme: readonly string[], reports: readonly StatusReport[], at: Date): number =>
  Math.max(-1, ...certificates(scheme, reports, at).map(({ status }) => scheme.indexOf(status)));

/**
 * The latest reports of a scheme that have not expired. Only certifications expire: a report against a model is
 * valid until a later one revokes it.
 */
const certificates = (scheme: readonly string[], reports: readonly StatusReport[], at: Date) =>
  currentReports(
    reports.filter(
      ({ status, sunsetDate }) => scheme.includes(status) && (!sunsetDate || sunsetDate > at),
    ),
    at,
  );
