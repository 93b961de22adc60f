import { type StatusReport, currentReports } from './status.js';

/** Levels of FIDO's certification (FIDO Metadata Service v3 §3.1.4), from the least strict. */
export const CERTIFICATION_LEVELS = ['L1', 'L1plus', 'L2', 'L2plus', 'L3', 'L3plus'] as const;
export type CertificationLevel = (typeof CERTIFICATION_LEVELS)[number];

/** Overall levels of FIPS 140 (FIDO Metadata Service v3.1 §3.1.4). */
export const FIPS_LEVELS = ['L1', 'L2', 'L3', 'L4'] as const;
export type FipsLevel = (typeof FIPS_LEVELS)[number];

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

/** The place of the highest of the latest reports of a scheme; -1 where it has none. */
function highest(scheme: readonly string[], reports: readonly StatusReport[], at: Date): number {
  const ofScheme = reports.filter(({ status }) => scheme.includes(status));
  return Math.max(-1, ...currentReports(ofScheme, at).map(({ status }) => scheme.indexOf(status)));
}
