import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPolicy } from '../../tenancy/policy/policy.js';
import { optionsWith } from '../../platform/config/load-options.js';
import { plainText } from '../../platform/pages/languages/languages.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { openFindings, optionFindings } from './option-findings.js';
import { titleOf, type SetupFinding } from './setup-finding.js';
import {
  backupFindings,
  certificateFindings,
  clockFindings,
  domainListFindings,
  forwardedHostFindings,
  listFindings,
  metadataFindings,
  partyFindings,
} from './state-findings.js';

const titlesOf = (findings: readonly SetupFinding[]) => findings.map(titleOf);
const textOf = ([first]: readonly SetupFinding[]) => plainText('en', first?.text ?? phrase(''));
const titles = (...args: Parameters<typeof openFindings>) => titlesOf(openFindings(...args));
const BASE = { aaguid: false, mds: [] };
const loose = { policy: readPolicy({}) };
const strict = { policy: readPolicy({ registration: 'ticket' }) };

describe('the findings that every caller may see', () => {
  it('reports open registration if one relying party has it', () => {
    expect(titles({ ...BASE, auth: true, registration: 'open' }, [strict, loose])).toEqual([
      'Registration is open.',
    ]);
  });

  it('does not report open registration if the policy of every relying party is stricter', () => {
    expect(titles({ ...BASE, auth: true, registration: 'open' }, [strict])).toEqual([]);
  });

  it('does not report open registration if only application keys may call', () => {
    const guarded = { policy: readPolicy({ callers: 'keys' }) };
    expect(titles({ ...BASE, auth: true, registration: 'open' }, [guarded])).toEqual([]);
  });

  it('does not report open registration if the option is strict', () => {
    expect(titles({ ...BASE, auth: true, registration: 'first-only' }, [loose])).toEqual([]);
  });

  it('reports an administration without a password', () => {
    expect(titles({ ...BASE, auth: false, registration: 'ticket' }, [])).toEqual([
      'The administration has no password.',
    ]);
  });

  it('reports a whitelist without proof of models', () => {
    const strictly = { auth: true, registration: 'ticket', aaguid: true } as const;
    const title = 'Nothing proves the models on the whitelist.';
    expect(titles({ ...strictly, mds: [] }, [strict])).toEqual([title]);
    expect(titles({ ...strictly, mds: ['upload'] }, [strict])).toEqual([]);
    const anchored = { policy: { ...strict.policy, anchors: [Buffer.of(1)] } };
    expect(titles({ ...strictly, mds: [] }, [anchored])).toEqual([]);
    expect(titles({ ...strictly, mds: [] }, [anchored, strict])).toEqual([title]);
  });
});

describe('the finding about listed domains', () => {
  const of = (listDomains: boolean, ...tenants: string[]) =>
    titlesOf(
      domainListFindings(
        { listDomains },
        tenants.map((tenant) => ({ tenant })),
      ),
    );

  it('reports listed domains once there are two tenants', () => {
    expect(of(true, 'acme', 'acme')).toEqual([]);
    expect(of(true, 'acme', 'globex')).toEqual(['Anyone can list the domains of all tenants.']);
    expect(of(false, 'acme', 'globex')).toEqual([]);
  });
});

describe('the finding about X-Forwarded-Host', () => {
  const published = { relatedOrigins: ['https://acme.test'], apps: {}, passkeyEndpoints: {} };
  const silent = { ...published, relatedOrigins: [] };
  const found = (trustProxy: number, wellKnown: typeof published) =>
    forwardedHostFindings({ trustProxy }, [{ domain: 'acme.example', wellKnown }]);

  it('reports X-Forwarded-Host if a proxy is trusted and a relying party publishes files', () => {
    expect(titlesOf(found(1, published))).toEqual([
      'X-Forwarded-Host decides whose files under /.well-known are answered and cached.',
    ]);
    expect(textOf(found(1, published))).toContain('files of acme.example');
  });

  it('does not report X-Forwarded-Host without a trusted proxy or without published files', () => {
    expect([...found(0, published), ...found(1, silent)]).toEqual([]);
  });
});

describe('the findings about options', () => {
  /** No files have these names. */
  const [auditKeyFile, secretKeyFile] = [randomUUID(), randomUUID()].map((name) =>
    join(tmpdir(), name),
  );
  const SEALED = { auditKeyFile, secretKeyFile };
  const found = (options: Parameters<typeof optionsWith>[0]) =>
    titlesOf(optionFindings(optionsWith({ ...SEALED, ...options })));

  it('finds nothing on a local machine with key files', () => expect(found({})).toEqual([]));

  it('reports an unsealed audit trail and unencrypted secrets', () =>
    expect(titlesOf(optionFindings(optionsWith({})))).toEqual([
      'The audit trail is not sealed.',
      'Secrets in the database are not encrypted.',
    ]));

  it('reports a public server without HTTPS, without an issuer and with open metrics', () => {
    const names = ['Nothing is encrypted.', 'Tokens do not say who issued them.'];
    expect(found({ host: '0.0.0.0' })).toEqual([...names, 'Everybody may read /metrics.']);
    const well = { issuer: 'https://fido.example', metricsKey: 'k'.repeat(16) };
    expect(found({ host: '0.0.0.0', trustProxy: 1, ...well })).toEqual([]);
    expect(found({ host: '::', tlsCert: 'c', tlsKey: 'k', ...well })).toEqual([]);
  });

  it.each([
    ['admin', 'The password of the first administrator is easily guessed.'],
    ['changeme', 'The password of the first administrator is easily guessed.'],
    [
      'correct horse battery',
      'The password of the first administrator can be read in the configuration.',
    ],
  ])('reports the plain password %j', (adminPassword, title) => {
    expect(found({ adminPassword })).toEqual([title]);
  });

  it('does not report that a password can be read if a file contains it', () => {
    const adminPassword = 'correct horse battery';
    expect(found({ adminPassword, isPasswordInFile: true })).toEqual([]);
    expect(found({ adminPassword: 'admin', isPasswordInFile: true })).toHaveLength(1);
  });

  it('no finding contains a password', () => {
    const text = JSON.stringify(optionFindings(optionsWith({ adminPassword: 'hunter22' })));
    expect(text).not.toContain('hunter22');
  });

  it('reports options that do not fit public users or several instances', () => {
    expect(found({ conformance: true, db: 'mysql://app@db/fido' })).toEqual([
      'The server runs in the mode for conformance tests.',
      'Pending ceremonies are in the memory of this instance.',
    ]);
  });
});

describe('the findings about the running server', () => {
  const DAY = 24 * 3_600_000;
  const now = 1_800_000_000_000;

  it('reports missing or overdue metadata', () => {
    expect(metadataFindings(undefined)).toEqual([]);
    expect(metadataFindings({ entries: 3, stale: false })).toEqual([]);
    const overdue = 'The metadata about authenticators is overdue.';
    expect(titlesOf(metadataFindings({ entries: 3, stale: true }))).toEqual([overdue]);
    expect(titlesOf(metadataFindings({ entries: 0, stale: true }))).toEqual([
      'There is no metadata about authenticators yet.',
    ]);
  });

  it('reports missing or overdue revocation lists', () => {
    expect(listFindings(undefined)).toEqual([]);
    expect(listFindings({ stale: false })).toEqual([]);
    const overdue = 'A revocation list is missing or overdue.';
    expect(titlesOf(listFindings({ stale: true }))).toEqual([overdue]);
  });

  it('reports clocks that differ by half of what instances may differ, or more', () => {
    expect(clockFindings(now, undefined)).toEqual([]);
    expect(clockFindings(now, now + 2_400)).toEqual([]);
    expect(textOf(clockFindings(now, now + 9_000))).toContain('9 s behind the database');
    expect(textOf(clockFindings(now, now - 3_000))).toContain('3 s ahead of the database');
  });

  it('reports a certificate that is not valid now or expires within two weeks', () => {
    const certificate = (first: number, last: number) => ({
      validFromDate: new Date(now + first * DAY),
      validToDate: new Date(now + last * DAY),
    });
    const titles = (first: number, last: number) =>
      titlesOf(certificateFindings(now, certificate(first, last)));
    expect(certificateFindings(now, undefined)).toEqual([]);
    expect(titles(-60, 15)).toEqual([]);
    expect(titles(-60, 13)).toEqual(['The certificate expires soon.']);
    expect(titles(-60, -1)).toEqual(['The certificate is not valid now.']);
    expect(titles(1, 90)).toEqual(['The certificate is not valid now.']);
    expect(textOf(certificateFindings(now, certificate(-60, -1)))).toContain(
      'from 2026-11-16 to 2027-01-14',
    );
  });

  it('reports a missing backup or one that is a week old', () => {
    expect(titlesOf(backupFindings(now, undefined))).toEqual(['No backup has been made yet.']);
    expect(backupFindings(now, now - 6 * DAY)).toEqual([]);
    expect(titlesOf(backupFindings(now, now - 7 * DAY))).toHaveLength(1);
    expect(backupFindings(now, null)).toEqual([]);
  });

  it('reports a missing relying party and one with unencrypted or only foreign pages', () => {
    expect(titlesOf(partyFindings([]))).toEqual(['There is no relying party.']);
    const party = (origin: string) => ({ domain: 'a.example', origins: [origin] });
    expect(partyFindings([party('https://a.example')])).toEqual([]);
    expect(textOf(partyFindings([party('http://a.example')]))).toContain('a.example');
    expect(titlesOf(partyFindings([party('https://b.example')]))).toEqual([
      'A relying party allows only pages of other domains.',
    ]);
  });
});
