import {
  certificationOf,
  hasFips,
  hasFipsPhysicalSecurity,
  hasFipsRevision,
  hasProfile,
  isCertifiedAt,
} from './certification.js';
import { evaluateStatus, latestEffect, readStatusReports } from './status.js';

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
      'is the strictest of one day',
      ['FIDO_CERTIFIED 2022-01-01', 'FIDO_CERTIFIED_L1 2022-01-01'],
      'L1',
    ],
    [
      'applies from its day on',
      ['FIDO_CERTIFIED_L1 2022-01-01', 'FIDO_CERTIFIED_L3 2099-01-01'],
      'L1',
    ],
    [
      'ends when it is withdrawn',
      ['FIDO_CERTIFIED_L1 2022-01-01', 'NOT_FIDO_CERTIFIED 2024-01-01'],
      undefined,
    ],
    [
      'is undefined without a report about it',
      ['REVOKED 2022-01-01', 'FIPS140_CERTIFIED_L4 2022-01-01'],
      undefined,
    ],
    [
      'remains after a report about an update',
      ['FIDO_CERTIFIED_L2 2022-01-01', 'UPDATE_AVAILABLE 2024-01-01'],
      'L2',
    ],
  ])('the certification of a model %s', (_, reports, level) => {
    const expected = level && `FIDO_CERTIFIED_${level}`;
    expect(certificationOf(reportsOf(...reports), AT)).toBe(expected);
  });

  it('a certification from before the levels existed ranks below all levels', () => {
    const reports = reportsOf('FIDO_CERTIFIED 2018-01-01');
    expect(certificationOf(reports, AT)).toBe('FIDO_CERTIFIED');
    expect(isCertifiedAt(reports, 'L1', AT)).toBe(false);
  });

  it('a certification includes its own level and all less strict ones', () => {
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

describe('a FIPS 140 status report', () => {
  const reports = reportsOf('FIDO_CERTIFIED_L3 2022-01-01', 'FIPS140_CERTIFIED_L2 2024-01-01');

  it('a FIPS 140 report does not replace a FIDO certification', () => {
    expect([hasFips(reports, 'L2', AT), hasFips(reports, 'L3', AT)]).toEqual([true, false]);
    expect(hasFips(reportsOf('FIDO_CERTIFIED_L3'), 'L1', AT)).toBe(false);
    expect(isCertifiedAt(reports, 'L3', AT)).toBe(true);
  });

  it('a FIPS 140 report neither withdraws another status nor warns', () => {
    expect(evaluateStatus(reports, AT).verdict).toBe('accept');
    const revoked = reportsOf('REVOKED 2023-01-01', 'FIPS140_CERTIFIED_L2 2024-01-01');
    expect(evaluateStatus(revoked, AT).verdict).toBe('refuse');
  });
});

describe('an expiring certification', () => {
  const certified = { status: 'FIDO_CERTIFIED_L2', effectiveDate: '2024-01-01' };
  const levelAt = (time: string, ...reports: readonly object[]) =>
    certificationOf(readStatusReports(reports), new Date(time));

  it('a certification applies until its sunset date', () => {
    const report = { ...certified, sunsetDate: '2026-06-01' };
    expect(levelAt('2026-05-31T23:59:59Z', report)).toBe('FIDO_CERTIFIED_L2');
    expect(levelAt('2026-06-01T00:00:00Z', report)).toBeUndefined();
  });

  it('an expired certification does not affect an earlier one that does not expire', () => {
    const earlier = { status: 'FIDO_CERTIFIED_L1', effectiveDate: '2022-01-01' };
    const report = { ...certified, sunsetDate: '2026-01-01' };
    expect(levelAt('2026-06-01', earlier, report)).toBe('FIDO_CERTIFIED_L1');
  });

  it('an expired certification does not restore an earlier warning about the model', () => {
    const bypass = { status: 'USER_VERIFICATION_BYPASS', effectiveDate: '2022-01-01' };
    const reports = readStatusReports([bypass, { ...certified, sunsetDate: '2026-01-01' }]);
    expect(evaluateStatus(reports, AT).verdict).toBe('accept');
  });

  it('an expired certification changes the day of the latest effect', () => {
    const statusReports = readStatusReports([{ ...certified, sunsetDate: '2026-01-01' }]);
    const day = (text: string) => latestEffect([{ statusReports }], new Date(text));
    expect(day('2025-12-31')).toBe(Date.parse('2024-01-01'));
    expect(day('2026-01-02')).toBe(Date.parse('2026-01-01'));
  });

  it.each(['2026-13-01', 'soon', 3])(
    'refuses status reports with the sunset date %p',
    (sunsetDate) => {
      expect(() => readStatusReports([{ ...certified, sunsetDate }])).toThrow('sunsetDate');
    },
  );
});

describe('the details of a certificate', () => {
  const FIPS = { status: 'FIPS140_CERTIFIED_L2', effectiveDate: '2024-01-01' };
  const read = (...reports: readonly object[]) => readStatusReports(reports);

  it('reads the FIPS 140 revision of a certificate', () => {
    const reports = read({ ...FIPS, fipsRevision: 3 });
    expect(hasFipsRevision(reports, '140-2', AT)).toBe(true);
    expect(hasFipsRevision(reports, '140-3', AT)).toBe(true);
    expect(hasFipsRevision(read({ ...FIPS, fipsRevision: 2 }), '140-3', AT)).toBe(false);
    expect(hasFipsRevision(read(FIPS), '140-2', AT)).toBe(false);
  });

  it('reads the level of physical security beside the overall level', () => {
    const reports = read({ ...FIPS, fipsPhysicalSecurityLevel: 3 });
    expect(hasFipsPhysicalSecurity(reports, 'L3', AT)).toBe(true);
    expect(hasFipsPhysicalSecurity(reports, 'L4', AT)).toBe(false);
    expect(hasFipsPhysicalSecurity(read(FIPS), 'L1', AT)).toBe(false);
  });

  it('reads the FIDO certification profiles', () => {
    const reports = read({ status: 'FIDO_CERTIFIED_L1', certificationProfiles: ['enterprise'] });
    expect(hasProfile(reports, ['consumer', 'enterprise'], AT)).toBe(true);
    expect(hasProfile(reports, ['consumer'], AT)).toBe(false);
  });

  it('the details of a certificate expire with it', () => {
    const said = { fipsRevision: 3, fipsPhysicalSecurityLevel: 3, sunsetDate: '2026-01-01' };
    const reports = read({ ...FIPS, ...said });
    expect(hasFipsRevision(reports, '140-2', AT)).toBe(false);
    expect(hasFipsPhysicalSecurity(reports, 'L1', AT)).toBe(false);
  });

  it('refuses certificate details of another type, and takes null for an absent one', () => {
    for (const wrong of [{ fipsRevision: '3' }, { fipsPhysicalSecurityLevel: [1] }]) {
      expect(() => read({ ...FIPS, ...wrong })).toThrow('is not a whole number');
    }
    expect(hasFipsRevision(read({ ...FIPS, fipsRevision: null }), '140-2', AT)).toBe(false);
    const ignored = read({ ...FIPS, certificationProfiles: 7 });
    expect(ignored[0]).not.toHaveProperty('certificationProfiles');
  });
});
