import { arrayOf, readDay, objectOf, type JsonObject } from './json.js';
import { ensureMetadata } from './metadata-error.js';

/** How to treat an authenticator whose model has a certain status. */
export type StatusVerdict = 'accept' | 'warn' | 'refuse';

/** A status report of a model (FIDO Metadata Service v3 §3.1.3). */
export interface StatusReport {
  /** AuthenticatorStatus (§3.1.4); an unknown one is ignored, except for display. */
  readonly status: string;
  /** When it takes effect; a report without a date is in effect while it is listed. */
  readonly effectiveDate: Date | undefined;
  /** When it expires; a report without this date does not expire (v3.1). */
  readonly sunsetDate?: Date;
  /** The firmware version that the report relates to; without it, the report relates to every version. */
  readonly authenticatorVersion?: number;
  /** Uses for which FIDO certified the model, for example `enterprise` (v3.1). */
  readonly certificationProfiles?: readonly string[];
  /** Revision of FIPS 140: 3 means FIPS 140-3 (v3.1). */
  readonly fipsRevision?: number;
  /** Level of physical security under FIPS 140, 1 to 4; it may differ from the overall level (v3.1). */
  readonly fipsPhysicalSecurityLevel?: number;
}

export type StatusVerdicts = Readonly<Record<string, StatusVerdict>>;

/**
 * Default verdicts. A certification, or the lack of one, is no reason against an authenticator; a compromise is. Any
 * other status is ignored, as §3.1.4 demands: it neither condemns a model nor withdraws a report against it. FIPS 140
 * is missing too, since it is a separate scheme.
 */
export const STATUS_VERDICTS: StatusVerdicts = {
  NOT_FIDO_CERTIFIED: 'accept',
  SELF_ASSERTION_SUBMITTED: 'accept',
  FIDO_CERTIFIED: 'accept',
  FIDO_CERTIFIED_L1: 'accept',
  FIDO_CERTIFIED_L1plus: 'accept',
  FIDO_CERTIFIED_L2: 'accept',
  FIDO_CERTIFIED_L2plus: 'accept',
  FIDO_CERTIFIED_L3: 'accept',
  FIDO_CERTIFIED_L3plus: 'accept',
  UPDATE_AVAILABLE: 'warn',
  RETIRED: 'warn',
  USER_VERIFICATION_BYPASS: 'refuse',
  ATTESTATION_KEY_COMPROMISE: 'refuse',
  USER_KEY_REMOTE_COMPROMISE: 'refuse',
  USER_KEY_PHYSICAL_COMPROMISE: 'refuse',
  REVOKED: 'refuse',
};
const SEVERITY: Readonly<Record<StatusVerdict, number>> = { accept: 0, warn: 1, refuse: 2 };

export interface StatusEvaluation {
  readonly verdict: StatusVerdict;
  /** The decisive status; `undefined` if no report is in effect. */
  readonly status: string | undefined;
}

/** Reads the member `statusReports` of a BLOB's entry. Fails with `payload`. */
export function readStatusReports(value: unknown): readonly StatusReport[] {
  return arrayOf(value, 'statusReports').map((item) => {
    const report = objectOf(item, 'a status report');
    const { status, effectiveDate, sunsetDate } = report;
    ensureMetadata(typeof status === 'string', 'payload', 'status is not text');
    const day = effectiveDate === undefined ? undefined : readDay(effectiveDate, 'effectiveDate');
    return {
      status,
      effectiveDate: day,
      ...(sunsetDate !== undefined && { sunsetDate: readDay(sunsetDate, 'sunsetDate') }),
      ...statedBeside(report),
    };
  });
}

/** The other members of a report; members of a wrong type are omitted. */
function statedBeside({
  authenticatorVersion,
  certificationProfiles: profiles,
  fipsRevision,
  fipsPhysicalSecurityLevel,
}: JsonObject): Partial<StatusReport> {
  return {
    ...(typeof authenticatorVersion === 'number' && { authenticatorVersion }),
    ...(Array.isArray(profiles) && { certificationProfiles: profiles.filter(isText) }),
    ...(typeof fipsRevision === 'number' && { fipsRevision }),
    ...(typeof fipsPhysicalSecurityLevel === 'number' && { fipsPhysicalSecurityLevel }),
  };
}

const isText = (value: unknown): value is string => typeof value === 'string';

const CERTIFICATION = /^FIDO_CERTIFIED/;
const UPDATE = 'UPDATE_AVAILABLE';
/** Statuses that relate to the report's firmware version; all other statuses concern every version. */
const OF_FIRMWARE: readonly string[] = [
  'USER_VERIFICATION_BYPASS',
  'USER_KEY_REMOTE_COMPROMISE',
  'USER_KEY_PHYSICAL_COMPROMISE',
  'REVOKED',
];

/**
 * The reports that concern a firmware version (FIDO Metadata Service v3.1 §3.1.3). A certification is for its
 * version and later ones, an update for earlier ones, a problem for its version and earlier ones.
 *
 * @param firmware `undefined` if it is not proved; then all reports count
 */
export function reportsOnFirmware(
  reports: readonly StatusReport[],
  firmware: number | undefined,
): readonly StatusReport[] {
  return reports.filter(({ status, authenticatorVersion: version }) => {
    if (version === undefined || firmware === undefined) return true;
    if (CERTIFICATION.test(status)) return firmware >= version;
    if (status === UPDATE) return firmware < version;
    return !OF_FIRMWARE.includes(status) || firmware <= version;
  });
}

/**
 * Evaluates a model by its latest status report in effect at a time. Among reports of the same day, and reports
 * without a day, the most severe counts, since their order is unknown.
 *
 * @param overrides verdicts that replace {@link STATUS_VERDICTS} for the statuses they name
 */
export function evaluateStatus(
  reports: readonly StatusReport[],
  at: Date,
  overrides: StatusVerdicts = {},
): StatusEvaluation {
  const known = reports.filter(({ status }) => Object.hasOwn(STATUS_VERDICTS, status));
  const evaluated = currentReports(known, at).map(({ status }) => ({
    status,
    verdict: overrides[status] ?? STATUS_VERDICTS[status] ?? 'accept',
  }));
  return evaluated.reduce<StatusEvaluation>(
    (worst, one) => (SEVERITY[one.verdict] >= SEVERITY[worst.verdict] ? one : worst),
    { verdict: 'accept', status: undefined },
  );
}

/** The status because of which a model is refused; `undefined` if it is not. */
export function statusAgainst(reports: readonly StatusReport[], at: Date): string | undefined {
  const { verdict, status } = evaluateStatus(reports, at);
  return verdict === 'refuse' ? status : undefined;
}

/**
 * The last time, up to `at`, at which a status report of the models took effect or expired, in milliseconds
 * since 1970; 0 if none did.
 */
export function latestEffect(
  models: readonly { readonly statusReports: readonly StatusReport[] }[],
  at: Date,
): number {
  const times = models.flatMap(({ statusReports }) =>
    statusReports.flatMap(({ effectiveDate, sunsetDate }) => [
      effectiveDate?.getTime() ?? 0,
      sunsetDate?.getTime() ?? 0,
    ]),
  );
  return times.reduce((latest, time) => (time <= at.getTime() && time > latest ? time : latest), 0);
}

/** The last reports to take effect up to a time, and those without a day. */
export function currentReports(
  reports: readonly StatusReport[],
  at: Date,
): readonly StatusReport[] {
  const times = reports
    .map(({ effectiveDate }) => effectiveDate?.getTime() ?? -Infinity)
    .filter((time) => time <= at.getTime());
  const latest = Math.max(...times);
  return reports.filter(
    ({ effectiveDate }) => effectiveDate === undefined || effectiveDate.getTime() === latest,
  );
}
