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
  return evaluateStatus(parsed, at, overrides);
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

describe('reportsOnFirmware', () => {
  const reports = readStatusReports([
    { status: 'FIDO_CERTIFIED_L1', effectiveDate: '2020-01-01', authenticatorVersion: 4 },
    { status: 'USER_VERIFICATION_BYPASS', effectiveDate: '2021-01-01', authenticatorVersion: 5 },
    { status: 'UPDATE_AVAILABLE', effectiveDate: '2022-01-01', authenticatorVersion: 6 },
    { status: 'FIDO_CERTIFIED_L2', effectiveDate: '2023-01-01', authenticatorVersion: 6 },
  ]);
  const verdictOn = (firmware: number | undefined, day: string) =>
    evaluateStatus(reportsOnFirmware(reports, firmware), new Date(day));

  it.each<[string, number | undefined, string, string]>([
    ['a problem refuses the firmware that it names', 5, '2021-06-01', 'refuse'],
    ['a problem refuses earlier firmware', 4, '2021-06-01', 'refuse'],
    ['a problem does not refuse later firmware', 6, '2021-06-01', 'accept'],
    ['a problem refuses firmware that is unknown', undefined, '2021-06-01', 'refuse'],
    ['an update is a warning for earlier firmware', 5, '2022-06-01', 'warn'],
    ['an update is no warning for the firmware that it names', 6, '2022-06-01', 'accept'],
    [
      'a later certification does not end the warning for earlier firmware',
      5,
      '2023-06-01',
      'warn',
    ],
    ['a certification applies to later firmware', 7, '2023-06-01', 'accept'],
  ])('evaluates reports on firmware: %s', (_, firmware, day, verdict) => {
    expect(verdictOn(firmware, day).verdict).toBe(verdict);
  });

  it('keeps reports without a version and reports of a compromised attestation key', () => {
    const all = readStatusReports([
      { status: 'REVOKED', effectiveDate: '2021-01-01' },
      { status: 'ATTESTATION_KEY_COMPROMISE', authenticatorVersion: 5 },
    ]);
    expect(reportsOnFirmware(all, 9)).toEqual(all);
  });
});
