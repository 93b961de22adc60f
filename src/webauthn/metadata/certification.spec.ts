import { certificationOf, hasFips, isCertifiedAt } from './certification.js';
import { evaluateStatus, readStatusReports } from './status.js';

const AT = new Date('2026-06-01T12:00:00Z');
const reportsOf = (...reports: readonly string[]) =>
  readStatusReports(
    reports.map((report) => {
      const [status, effectiveDate] = report.split(' ');
      return effectiveDate === undefined ? { status } : { status, effectiveDate };
    }),
  );

describe('the certification of a model', () => {
  it.each<[string, readonly string[], string | undefined]>([
    ['is the latest', ['FIDO_CERTIFIED_L2 2022-01-01', 'FIDO_CERTIFIED_L1 2024-01-01'], 'L1'],
    [
      'of one day the strictest',
      ['FIDO_CERTIFIED 2022-01-01', 'FIDO_CERTIFIED_L1 2022-01-01'],
      'L1',
    ],
    [
      'counts from its day on',
      ['FIDO_CERTIFIED_L1 2022-01-01', 'FIDO_CERTIFIED_L3 2099-01-01'],
      'L1',
    ],
    ['ends', ['FIDO_CERTIFIED_L1 2022-01-01', 'NOT_FIDO_CERTIFIED 2024-01-01'], undefined],
    [
      'is none where there is none',
      ['REVOKED 2022-01-01', 'FIPS140_CERTIFIED_L4 2022-01-01'],
      undefined,
    ],
    [
      'stays beside what became known',
      ['FIDO_CERTIFIED_L2 2022-01-01', 'UPDATE_AVAILABLE 2024-01-01'],
      'L2',
    ],
  ])('%s', (_, reports, level) => {
    const expected = level && `FIDO_CERTIFIED_${level}`;
    expect(certificationOf(reportsOf(...reports), AT)).toBe(expected);
  });

  it('of before there were levels is below all of them', () => {
    const reports = reportsOf('FIDO_CERTIFIED 2018-01-01');
    expect(certificationOf(reports, AT)).toBe('FIDO_CERTIFIED');
    expect(isCertifiedAt(reports, 'L1', AT)).toBe(false);
  });

  it('reaches its own level and those that are less strict', () => {
    const reports = reportsOf('FIDO_CERTIFIED_L2 2022-01-01');
    const levels = ['L1', 'L1plus', 'L2', 'L2plus', 'L3', 'L3plus'] as const;
    expect(levels.filter((level) => isCertifiedAt(reports, level, AT))).toEqual([
      'L1',
      'L1plus',
      'L2',
    ]);
    expect(levels.filter((level) => isCertifiedAt([], level, AT))).toEqual([]);
  });
});

describe('FIPS 140', () => {
  const reports = reportsOf('FIDO_CERTIFIED_L3 2022-01-01', 'FIPS140_CERTIFIED_L2 2024-01-01');

  it('is told apart from the certification by FIDO', () => {
    expect([hasFips(reports, 'L2', AT), hasFips(reports, 'L3', AT)]).toEqual([true, false]);
    expect(hasFips(reportsOf('FIDO_CERTIFIED_L3'), 'L1', AT)).toBe(false);
    expect(isCertifiedAt(reports, 'L3', AT)).toBe(true);
  });

  it('takes back nothing that is known of the model, and is no warning', () => {
    expect(evaluateStatus(reports, AT).verdict).toBe('accept');
    const revoked = reportsOf('REVOKED 2023-01-01', 'FIPS140_CERTIFIED_L2 2024-01-01');
    expect(evaluateStatus(revoked, AT).verdict).toBe('refuse');
  });
});
