import {
  type CertificateParts,
  createAuthority,
} from '../../../packages/testing/src/certificate-writer.js';
import { createAttester } from '../../../packages/testing/src/attester.js';
import { MetadataError } from './metadata-error.js';
import {
  evaluateStatus,
  readStatusReports,
  reportsOnFirmware,
  type StatusVerdicts,
} from './status.js';

const AT = new Date('2026-06-01T12:00:00Z');

/** The verdict on reports of `status day`. */
function evaluate(reports: readonly string[], overrides?: StatusVerdicts, at = AT) {
  const parsed = readStatusReports(
    reports.map((report) => {
      const [status, effectiveDate] = report.split(' ');
      return effectiveDate === undefined ? { status } : { status, effectiveDate };
    }),
  );
  return evaluateStatus(parsed, at, { overrides });
}

describe('evaluateStatus', () => {
  it.each([
    'REVOKED',
    'USER_VERIFICATION_BYPASS',
    'ATTESTATION_KEY_COMPROMISE',
    'USER_KEY_REMOTE_COMPROMISE',
    'USER_KEY_PHYSICAL_COMPROMISE',
  ])('refuses a model with the status %s', (status) => {
    expect(evaluate(['FIDO_CERTIFIED_L1 2020-01-01', `${status} 2021-01-01`])).toEqual({
      verdict: 'refuse',
      status,
    });
  });

  it.each(['UPDATE_AVAILABLE', 'RETIRED'])('warns of a model with the status %s', (status) => {
    expect(evaluate([`${status} 2021-01-01`])).toEqual({ verdict: 'warn', status });
  });

  it.each([
    'A_STATUS_OF_LATER_YEARS',
    'CC_CERTIFIED_EAL5',
    'revoked',
    '__proto__',
    'constructor',
    'FIPS140_CERTIFIED_L3',
  ])('ignores the unknown status %s, whatever the order and the dates are', (unknown) => {
    for (const date of [' 2020-01-01', ' 2021-01-01', ' 2022-01-01', ' 2030-01-01', '']) {
      const report = `${unknown}${date}`;
      expect(evaluate([report])).toEqual({ verdict: 'accept', status: undefined });
      for (const known of ['REVOKED', 'UPDATE_AVAILABLE', 'FIDO_CERTIFIED_L1']) {
        const alone = evaluate([`${known} 2021-01-01`]);
        expect(evaluate([`${known} 2021-01-01`, report])).toEqual(alone);
        expect(evaluate([report, `${known} 2021-01-01`])).toEqual(alone);
      }
    }
  });

  it.each(['NOT_FIDO_CERTIFIED', 'SELF_ASSERTION_SUBMITTED', 'FIDO_CERTIFIED_L3plus'])(
    'accepts a model with the status %s',
    (status) => {
      expect(evaluate([`${status} 2021-01-01`])).toEqual({ verdict: 'accept', status });
    },
  );

  it('uses the latest status report in effect, at any position', () => {
    const mended = ['UPDATE_AVAILABLE 2022-01-01', 'REVOKED 2021-01-01'];
    expect(evaluate(mended).verdict).toBe('warn');
    expect(evaluate([...mended].reverse()).verdict).toBe('warn');
    expect(evaluate(mended, {}, new Date('2021-06-01')).verdict).toBe('refuse');
    expect(evaluate(mended, {}, new Date('2020-06-01'))).toEqual({
      verdict: 'accept',
      status: undefined,
    });
  });

  it('applies a status report from the first moment of its day in UTC', () => {
    const revoked = ['REVOKED 2026-06-01'];
    expect(evaluate(revoked, {}, new Date('2026-06-01T00:00:00Z')).verdict).toBe('refuse');
    expect(evaluate(revoked, {}, new Date('2026-05-31T23:59:59Z')).verdict).toBe('accept');
  });

  it('uses the severest status report of one day and always applies undated ones', () => {
    const sameDay = ['REVOKED 2021-01-01', 'FIDO_CERTIFIED 2021-01-01'];
    expect(evaluate(sameDay).verdict).toBe('refuse');
    expect(evaluate([...sameDay].reverse()).verdict).toBe('refuse');
    expect(evaluate(['REVOKED', 'FIDO_CERTIFIED 2021-01-01']).verdict).toBe('refuse');
  });

  it('applies the relying party’s own decision for each status', () => {
    expect(evaluate(['UPDATE_AVAILABLE'], { UPDATE_AVAILABLE: 'refuse' }).verdict).toBe('refuse');
    expect(evaluate(['REVOKED'], { REVOKED: 'warn' }).verdict).toBe('warn');
    expect(evaluate(['FIDO_CERTIFIED'], { NOT_FIDO_CERTIFIED: 'refuse' }).verdict).toBe('accept');
  });

  it.each<[string, unknown]>([
    ['an object in their place', {}],
    ['undefined in their place', undefined],
    ['a report that is text', ['REVOKED']],
    ['a status that is a number', [{ status: 1 }]],
    ['a day that does not exist', [{ status: 'REVOKED', effectiveDate: '2021-02-30' }]],
    ['a day in another form', [{ status: 'REVOKED', effectiveDate: '01.02.2021' }]],
    ['a year for a day', [{ status: 'REVOKED', effectiveDate: '2021' }]],
    ['a month for a day', [{ status: 'REVOKED', effectiveDate: '2021-01' }]],
    ['days for a day', [{ status: 'REVOKED', effectiveDate: ['2021-01-01'] }]],
    ['a day as a number', [{ status: 'REVOKED', effectiveDate: 20210101 }]],
  ])('refuses unreadable status reports: %s', (_title, value) => {
    expect(() => readStatusReports(value)).toThrow(MetadataError);
  });
});

describe('the status of a firmware version', () => {
  const report = (status: string, year: number, authenticatorVersion?: number) => ({
    status,
    effectiveDate: `${year}-01-01`,
    ...(authenticatorVersion !== undefined && { authenticatorVersion }),
  });
  const CERTIFIED = report('FIDO_CERTIFIED_L1', 2020, 4);
  const BYPASS = report('USER_VERIFICATION_BYPASS', 2021);
  const BYPASS_OF_5 = report('USER_VERIFICATION_BYPASS', 2021, 5);
  const UPDATE_TO_6 = report('UPDATE_AVAILABLE', 2022, 6);
  const UPDATE = report('UPDATE_AVAILABLE', 2022);

  /** The verdict on reports in June of a year, in any order of the reports. */
  function verdictOn(
    reports: readonly object[],
    facts: { readonly firmware?: number; readonly statedVersion?: number },
    year = 2026,
  ) {
    const at = new Date(`${year}-06-01`);
    const found = [reports, [...reports].reverse()].map(
      (ordered) => evaluateStatus(readStatusReports(ordered), at, facts).verdict,
    );
    expect(found[0]).toBe(found[1]);
    return found[0];
  }

  const ALL = [CERTIFIED, BYPASS_OF_5, UPDATE_TO_6, report('FIDO_CERTIFIED_L2', 2023, 6)];

  it.each<[string, number | undefined, number, string]>([
    ['a problem condemns the firmware that it names', 5, 2021, 'refuse'],
    ['a problem condemns later firmware while there is no update', 6, 2021, 'refuse'],
    ['a problem does not concern earlier firmware', 4, 2021, 'accept'],
    ['a problem condemns firmware that is unknown', undefined, 2021, 'refuse'],
    ['an update does not clear earlier firmware of a problem', 5, 2022, 'refuse'],
    ['an update clears the firmware that it names', 6, 2022, 'accept'],
    ['an update clears later firmware', 7, 2022, 'accept'],
    ['an update warns of firmware from before the problem', 4, 2022, 'warn'],
    ['an update is the latest report on firmware that is unknown', undefined, 2022, 'warn'],
    ['a later certification does not clear firmware before the update', 5, 2023, 'refuse'],
    ['a later certification applies to its firmware', 6, 2023, 'accept'],
    ['a later certification applies to firmware that is unknown', undefined, 2023, 'accept'],
  ])('%s', (_, firmware, year, verdict) => {
    expect(verdictOn(ALL, { ...(firmware !== undefined && { firmware }) }, year)).toBe(verdict);
  });

  it.each([
    'USER_VERIFICATION_BYPASS',
    'ATTESTATION_KEY_COMPROMISE',
    'USER_KEY_REMOTE_COMPROMISE',
    'USER_KEY_PHYSICAL_COMPROMISE',
    'REVOKED',
  ])('an update after %s condemns the firmware below its version', (status) => {
    for (const update of [UPDATE_TO_6, UPDATE]) {
      const reports = [CERTIFIED, report(status, 2021), update];
      expect(verdictOn(reports, { firmware: 5, statedVersion: 6 })).toBe('refuse');
      expect(verdictOn(reports, { firmware: 6, statedVersion: 6 })).toBe('accept');
      expect(verdictOn(reports, { statedVersion: 6 })).toBe('warn');
    }
  });

  it('an update that no version accompanies warns of every firmware', () => {
    expect(verdictOn([BYPASS, UPDATE], { firmware: 5 })).toBe('warn');
  });

  it('an update warns of earlier firmware if no problem precedes it', () => {
    const reports = [CERTIFIED, UPDATE_TO_6];
    expect(verdictOn(reports, { firmware: 5 })).toBe('warn');
    expect(verdictOn(reports, { firmware: 6 })).toBe('accept');
    expect(verdictOn([UPDATE_TO_6, report('REVOKED', 2023)], { firmware: 6 })).toBe('refuse');
  });

  it('an update clears nothing before its day, or of a problem on its day or without a day', () => {
    const future = [BYPASS, report('UPDATE_AVAILABLE', 2030, 6)];
    expect(verdictOn(future, { firmware: 6 })).toBe('refuse');
    const sameDay = [BYPASS, report('UPDATE_AVAILABLE', 2021, 6)];
    expect(verdictOn(sameDay, { firmware: 6 })).toBe('refuse');
    const undated = [{ status: 'REVOKED' }, UPDATE_TO_6];
    expect(verdictOn(undated, { firmware: 6 })).toBe('refuse');
  });

  it('an update to a version that is not above the lowest affected one clears nothing', () => {
    const reports = [BYPASS_OF_5, report('UPDATE_AVAILABLE', 2022, 5)];
    for (const firmware of [5, 6]) expect(verdictOn(reports, { firmware })).toBe('refuse');
  });

  it('an update clears no firmware of a problem that was reported after it', () => {
    const reports = [BYPASS, UPDATE_TO_6, report('USER_KEY_REMOTE_COMPROMISE', 2023, 6)];
    expect(verdictOn(reports, { firmware: 6 })).toBe('refuse');
    const solved = [...reports, report('UPDATE_AVAILABLE', 2024, 8)];
    expect(verdictOn(solved, { firmware: 5 })).toBe('refuse');
    expect(verdictOn(solved, { firmware: 7 })).toBe('refuse');
    expect(verdictOn(solved, { firmware: 8 })).toBe('accept');
  });

  it('a compromised attestation key concerns every firmware, whatever version it names', () => {
    const reports = [report('ATTESTATION_KEY_COMPROMISE', 2021, 5)];
    for (const firmware of [4, 5, 9]) expect(verdictOn(reports, { firmware })).toBe('refuse');
  });

  it('keeps certifications of this firmware and of every firmware', () => {
    const all = readStatusReports([
      report('FIDO_CERTIFIED_L2', 2021, 6),
      report('FIPS140_CERTIFIED_L2', 2021, 6),
      report('FIDO_CERTIFIED_L1', 2021),
      BYPASS_OF_5,
    ]);
    expect(reportsOnFirmware(all, 5)).toEqual(all.slice(2));
    expect(reportsOnFirmware(all, 6)).toEqual(all);
    expect(reportsOnFirmware(all, undefined)).toEqual(all);
  });
});

describe('a report of a compromised attestation key of one batch', () => {
  const CERTIFIED = { status: 'FIDO_CERTIFIED_L1', effectiveDate: '2020-01-01' };
  const authority = createAuthority('Batch Authority');
  const attestedBy = (parts: Partial<CertificateParts> = {}) =>
    createAttester(Buffer.alloc(16, 1), parts).x5c;
  const batch = attestedBy();
  const other = attestedBy();
  const certified = attestedBy({ issuer: authority });
  const base64 = (der: Buffer | undefined) => `${der?.toString('base64')}`;
  const compromise = (limit: object, effectiveDate = '2021-01-01') => ({
    status: 'ATTESTATION_KEY_COMPROMISE',
    effectiveDate,
    ...limit,
  });
  const verdictOn = (certificates: readonly Buffer[], ...reports: readonly object[]) =>
    evaluateStatus(readStatusReports([CERTIFIED, ...reports]), AT, { certificates, firmware: 6 });

  it.each(['certificate', 'batchCertificate'])('condemns only the batch of its %s', (member) => {
    const report = compromise({ [member]: base64(batch[0]) });
    expect(verdictOn(batch, report).verdict).toBe('refuse');
    expect(verdictOn(other, report)).toEqual({ verdict: 'accept', status: CERTIFIED.status });
    expect(verdictOn([], report).verdict).toBe('accept');
  });

  it('condemns the batches of both of its certificates', () => {
    const limits = { certificate: base64(batch[0]), batchCertificate: base64(other[0]) };
    for (const path of [batch, other]) {
      expect(verdictOn(path, compromise(limits)).verdict).toBe('refuse');
    }
    expect(verdictOn(certified, compromise(limits)).verdict).toBe('accept');
  });

  it('condemns what the key of an authority has certified, whether the path contains it or not', () => {
    const reissued = { certificate: base64(authority.certificate) };
    for (const path of [certified, [...certified, authority.certificate]]) {
      expect(verdictOn(path, compromise(reissued)).verdict).toBe('refuse');
    }
    expect(verdictOn(batch, compromise(reissued)).verdict).toBe('accept');
  });

  it('a report about one batch applies from its day on, and no report on the model withdraws it', () => {
    const limit = { batchCertificate: base64(batch[0]) };
    expect(verdictOn(batch, compromise(limit, '2030-01-01')).verdict).toBe('accept');
    const later = [
      { status: 'FIDO_CERTIFIED_L2', effectiveDate: '2022-01-01' },
      { status: 'UPDATE_AVAILABLE', effectiveDate: '2023-01-01', authenticatorVersion: 6 },
      compromise({ batchCertificate: base64(other[0]) }, '2024-01-01'),
    ];
    expect(verdictOn(batch, compromise(limit), ...later).verdict).toBe('refuse');
  });

  it('condemns the whole model without a certificate', () => {
    for (const path of [batch, other, []]) {
      expect(verdictOn(path, compromise({})).verdict).toBe('refuse');
    }
  });

  it('ignores the certificate of another status', () => {
    const report = { ...compromise({ certificate: base64(batch[0]) }), status: 'REVOKED' };
    expect(verdictOn(other, report).verdict).toBe('refuse');
  });

  it.each([
    ['not Base64', '?'],
    ['no certificate', 'AAAA'],
    ['no text', 5],
  ])('a report about one batch is unreadable if its certificate is %s', (_, certificate) => {
    expect(() => readStatusReports([compromise({ certificate })])).toThrow(MetadataError);
  });
});
