import { isIssuedBy } from '../certificates/certificate-path.js';
import { loadCertificate, storedCertificate } from '../certificates/certificate.js';
import {
  arrayOf,
  readCertificate,
  readDay,
  ignoreSkipped,
  readNumber,
  objectOf,
  readOptional,
  skipUnreadable,
  readText,
  readTexts,
  type OnSkipped,
} from './json.js';

/** How to treat an authenticator whose model has a certain status. */
export type StatusVerdict = 'accept' | 'warn' | 'refuse';

/** A status report of a model (FIDO Metadata Service v3 §3.1.3). */
export interface StatusReport {
  /** AuthenticatorStatus (§3.1.4); an unknown one is ignored, except for display. */
  readonly status: string;
  /** When it takes effect; a report without a date is in effect while it is listed. */
  readonly effectiveDate: Date | undefined;
  /** When it expires; a report without this date does not expire (v3.1). */
  readonly sunsetDate?: Date | undefined;
  /** The lowest firmware version that the report relates to, or the version of an update. */
  readonly authenticatorVersion?: number | undefined;
  /** The certificates, DER, of the batches whose attestation keys are compromised; absent if all are. */
  readonly batches?: readonly Buffer[];
  /** Uses for which FIDO certified the model, for example `enterprise` (v3.1). */
  readonly certificationProfiles?: readonly string[] | undefined;
  /** Revision of FIPS 140: 3 means FIPS 140-3 (v3.1). */
  readonly fipsRevision?: number | undefined;
  /** Level of physical security under FIPS 140, 1 to 4; it may differ from the overall level (v3.1). */
  readonly fipsPhysicalSecurityLevel?: number | undefined;
}

/** A compromised key may attest any firmware version, so the version of this report is ignored. */
const ATTESTATION_KEY = 'ATTESTATION_KEY_COMPROMISE';

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

/**
 * Reads the member `statusReports` of a BLOB's entry. A member is read only where it decides something: of an unknown
 * status, none does. Fails with `payload`.
 *
 * @param onSkipped called with each `null`, which means the same as an absent member
 */
export const readStatusReports = (
  value: unknown,
  onSkipped: OnSkipped = ignoreSkipped,
): readonly StatusReport[] =>
  arrayOf(value, 'statusReports').map((item) => readStatusReport(item, onSkipped));

function readStatusReport(item: unknown, onSkipped: OnSkipped): StatusReport {
  const report = objectOf(item, 'an item of statusReports');
  const status = readText(report['status'], 'status');
  const optional = <T>(name: string, read: (value: unknown, name: string) => T) =>
    readOptional(report, name, { read, onSkipped });
  const isFips = FIPS.test(status);
  if (!isFips && !Object.hasOwn(STATUS_VERDICTS, status)) {
    return {
      status,
      effectiveDate: skipUnreadable(() => optional('effectiveDate', readDay), ignoreSkipped),
    };
  }
  const read = { status, effectiveDate: optional('effectiveDate', readDay) };
  if (status === ATTESTATION_KEY) {
    const batches = ['batchCertificate', 'certificate'].flatMap(
      (name) => optional(name, readCertificate) ?? [],
    );
    return batches.length === 0 ? read : { ...read, batches };
  }
  return {
    ...read,
    ...(isOfFirmware(status) && {
      authenticatorVersion: optional('authenticatorVersion', readNumber),
    }),
    ...(EXPIRES.test(status) && { sunsetDate: optional('sunsetDate', readDay) }),
    ...(CERTIFICATION.test(status) && {
      certificationProfiles: optional('certificationProfiles', readTexts),
    }),
    ...(isFips && {
      fipsRevision: optional('fipsRevision', readNumber),
      fipsPhysicalSecurityLevel: optional('fipsPhysicalSecurityLevel', readNumber),
    }),
  };
}

const CERTIFICATION = /^FIDO_CERTIFIED/;
const FIPS = /^FIPS140_CERTIFIED_/;
/** Statuses of certificates, or of their absence, which end on their `sunsetDate`. */
const EXPIRES = /_CERTIFIED/;
const UPDATE = 'UPDATE_AVAILABLE';
/** Statuses of problems that an update may solve (§3.1.4, `UPDATE_AVAILABLE`). */
const PROBLEMS: readonly string[] = [
  'USER_VERIFICATION_BYPASS',
  'ATTESTATION_KEY_COMPROMISE',
  'USER_KEY_REMOTE_COMPROMISE',
  'USER_KEY_PHYSICAL_COMPROMISE',
  'REVOKED',
];

/** Whether the status may concern certain firmware only. */
const isOfFirmware = (status: string): boolean =>
  PROBLEMS.includes(status) || status === UPDATE || isCertificate(status);

const isCertificate = (status: string): boolean => CERTIFICATION.test(status) || FIPS.test(status);

/** What is known of the authenticator that reports are evaluated for. */
export interface StatusSubject {
  /** Its firmware version; `undefined` if its attestation does not prove one. */
  readonly firmware?: number | undefined;
  /** `authenticatorVersion` of the model's metadata statement. */
  readonly statedVersion?: number | undefined;
  /** The certificates of its attestation, DER; without them it belongs to no known batch. */
  readonly certificates?: readonly Buffer[];
}

/** The reports without certifications of later firmware only; all of them if the firmware is unknown. */
export const reportsOnFirmware = (
  reports: readonly StatusReport[],
  firmware: number | undefined,
): readonly StatusReport[] =>
  reports.filter(
    ({ status, authenticatorVersion: version }) =>
      version === undefined ||
      firmware === undefined ||
      !isCertificate(status) ||
      firmware >= version,
  );

/**
 * Evaluates a model by its latest status report in effect at a time. Among reports of the same day, and reports
 * without a day, the most severe counts, since their order is unknown. Reports that do not concern the firmware are
 * left out: see {@link reportsFor}.
 */
export function evaluateStatus(
  reports: readonly StatusReport[],
  at: Date,
  {
    overrides = {},
    ...subject
  }: StatusSubject & {
    /** Verdicts that replace {@link STATUS_VERDICTS} for the statuses they name. */
    readonly overrides?: StatusVerdicts | undefined;
  } = {},
): StatusEvaluation {
  const known = reports.filter(
    ({ status, effectiveDate }) =>
      Object.hasOwn(STATUS_VERDICTS, status) &&
      (effectiveDate === undefined || effectiveDate <= at),
  );
  const deciding = [
    ...reportsFor(
      subject,
      known.filter(({ batches }) => !batches),
      at,
    ),
    // A leaked key stays leaked, whatever is reported on the model later.
    ...known.filter(({ batches }) => batches?.some((batch) => isOfBatch(subject, batch))),
  ];
  const evaluated = deciding.map(({ status }) => ({
    status,
    verdict: overrides[status] ?? STATUS_VERDICTS[status] ?? 'accept',
  }));
  return evaluated.reduce<StatusEvaluation>(
    (worst, one) => (SEVERITY[one.verdict] >= SEVERITY[worst.verdict] ? one : worst),
    { verdict: 'accept', status: undefined },
  );
}

/**
 * The reports that decide about an authenticator. If its firmware is unknown, the latest. Otherwise:
 *
 * - A certification is for its version and later ones (§3.1.3).
 * - A problem is for its version and later ones, until an update to a higher version. Transcriptions of §3.1.4 call
 *   the version of a problem both "minimum affected" and "the vulnerable firmware version"; the first fails closed.
 * - After a problem, an update makes firmware below its version the affected one, whatever is reported later
 *   (Metadata Statement v3.1 §4, `authenticatorVersion`: such firmware "is assumed to be vulnerable").
 */
function reportsFor(
  { firmware, statedVersion }: StatusSubject,
  reports: readonly StatusReport[],
  at: Date,
): readonly StatusReport[] {
  if (firmware === undefined) return currentReports(reports, at);
  const updatesOf = (problem: StatusReport) =>
    reports.flatMap((report) =>
      report.status === UPDATE && isAfter(report, problem)
        ? (report.authenticatorVersion ?? statedVersion ?? [])
        : [],
    );
  const problems = reports.filter((report) => {
    if (!PROBLEMS.includes(report.status)) return false;
    const first = report.status === ATTESTATION_KEY ? 0 : (report.authenticatorVersion ?? 0);
    if (firmware < first) return false;
    return !updatesOf(report).some((version) => version > first && version <= firmware);
  });
  const others = reportsOnFirmware(reports, firmware).filter(
    ({ status, authenticatorVersion: version = statedVersion }) =>
      !PROBLEMS.includes(status) &&
      (status !== UPDATE || version === undefined || firmware < version),
  );
  const unsolved = problems.filter((report) =>
    updatesOf(report).some((version) => version > firmware),
  );
  return [...currentReports([...problems, ...others], at), ...unsolved];
}

/** Whether the key of a batch's certificate is the key of one of the certificates, or certified one of them. */
function isOfBatch({ certificates = [] }: StatusSubject, der: Buffer): boolean {
  const batch = loadCertificate(der);
  return certificates
    .flatMap((one) => storedCertificate(one) ?? [])
    .some((one) => one.keyBits.equals(batch.keyBits) || isIssuedBy(one, batch));
}

/** Whether a report took effect later than another; the order of reports of one day, or without one, is unknown. */
const isAfter = (report: StatusReport, other: StatusReport): boolean =>
  report.effectiveDate !== undefined &&
  other.effectiveDate !== undefined &&
  report.effectiveDate > other.effectiveDate;

/** The status because of which a model, or one batch of it, is refused; `undefined` if it is not. */
export function statusAgainst(
  reports: readonly StatusReport[],
  at: Date,
  subject: StatusSubject = {},
): string | undefined {
  const { verdict, status } = evaluateStatus(reports, at, subject);
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
