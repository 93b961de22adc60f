import { ApiError } from '../../platform/errors/api-error.js';
import { originAllowed } from '../../webauthn/origin.js';
import { readPolicy } from '../policy/policy.js';
import { sha256 } from '../../platform/common/sha256.js';
import type { RelyingParty } from '../relying-party.js';
import { completeWellKnown } from '../well-known/well-known.js';
import { RelyingParties } from './relying-parties.js';
import { domainOfHeader, resolveRelyingParty } from './relying-party-finder.js';

const relyingParties = new RelyingParties([
  relyingParty('a.test', ['https://a.test', 'https://*.a.test']),
  relyingParty('b.a.test'),
  relyingParty('other.test'),
]);

describe('the relying party of a request', () => {
  it('finds the relying party by the header, then by --domain, then by Origin', () => {
    const origin = 'https://a.test';
    expect(outcome({ header: 'other.test', domain: 'b.a.test', origin })).toBe('other.test');
    expect(outcome({ domain: 'b.a.test', origin })).toBe('b.a.test');
    expect(outcome({ origin })).toBe('a.test');
    expect(outcome({ header: 'nobody.test', domain: 'b.a.test', origin })).toBe('E0025R');
    expect(outcome({})).toBe('E0025R');
  });

  it('finds the relying party of the Origin’s host, then its nearest parent that allows the origin', () => {
    expect(outcome({ origin: 'https://b.a.test' })).toBe('b.a.test');
    expect(outcome({ origin: 'https://x.a.test' })).toBe('a.test');
    expect(outcome({ origin: 'https://x.b.a.test' })).toBe('a.test');
    expect(outcome({ origin: 'http://x.a.test' })).toBe('E0025R');
    expect(outcome({ origin: 'https://x.other.test' })).toBe('E0025R');
  });

  it('finds the only relying party that lists the Origin, as for related origins and apps', () => {
    const app = 'android:apk-key-hash:Ab-cd_EF0123456789';
    const listing = new RelyingParties([
      relyingParty('a.test', ['https://a.test', 'https://one.example', app]),
      relyingParty('b.test', ['https://b.test', 'https://*.b.example', 'https://both.b.example']),
      relyingParty('c.test', ['https://c.test', 'https://both.b.example', 'https://a.test']),
    ]);
    const found = (origin: string) =>
      listing.findByOrigin(/^https:\/\/([^/]+)$/.exec(origin)?.[1], origin)?.domain;
    expect(found('https://one.example')).toBe('a.test');
    expect(found(app)).toBe('a.test');
    expect(found('https://x.b.example')).toBe('b.test');
    expect(found('https://both.b.example')).toBeUndefined();
    expect(found('https://a.test')).toBe('a.test');
    expect(found('https://*.b.example')).toBeUndefined();
    expect(found('https://two.example')).toBeUndefined();
  });

  it.each(['android:apk-key-hash:Ab-cd_EF0123456789', 'capacitor://localhost'])(
    'finds the only relying party where %s is confirmed, whoever else lists it',
    (app) => {
      const listers = (...confirmed: string[][]) =>
        confirmed.map((apps, n) => relyingParty(`party-${n}.test`, [app], apps));
      const found = (...confirmed: string[][]) =>
        new RelyingParties(listers(...confirmed)).findByOrigin(undefined, app)?.domain;
      expect(found([])).toBeUndefined();
      expect(found([app])).toBe('party-0.test');
      expect(found([app], [])).toBe('party-0.test');
      expect(found([], [app])).toBe('party-1.test');
      expect(found([app], [app])).toBeUndefined();
    },
  );

  it.each([
    'null',
    '',
    'https://',
    'https://a.test/',
    'https://u@a.test',
    'android:apk-key-hash:x',
  ])('finds no relying party for the Origin %p (E0025R)', (origin) =>
    expect(outcome({ origin })).toBe('E0025R'),
  );

  it.each([
    'https://x.one.test',
    'https://y.x.one.test',
    'https://one.test',
    'https://x.one.test:8443',
    'http://localhost',
    'http://localhost:5173',
    'http://localhost:99999',
    'http://[::1]:8080',
    'https://two.test:1',
    'https://x.two.test',
    'https://*.one.test',
    'https://x.one.test.evil.example',
    'https://evil.example/.one.test',
    'android:apk-key-hash:AAAA',
    '',
  ])('finds a relying party by wildcard for %s exactly if its origins allow it', (origin) => {
    const lists = [
      ['https://*.one.test', 'http://localhost:*', 'https://*.one.test:8443'],
      ['https://two.test:*', 'http://[::1]:*', 'http://localhost:*'],
    ];
    const parties = lists.map((origins, n) => relyingParty(`party-${n}.test`, origins));
    const many = new RelyingParties(parties);
    const allowed = parties.filter(({ origins }) => originAllowed(origin, origins));
    expect(many.knowsOrigin(origin)).toBe(allowed.length > 0);
    const only = allowed.length === 1 ? allowed[0] : undefined;
    expect(many.findByOrigin(undefined, origin)?.domain).toBe(only?.domain);
  });

  it('lists the domains in order, unless that is switched off (E0025R)', () => {
    const body = (listDomains: boolean) => {
      try {
        resolveRelyingParty(
          { header: 'x.test', domain: undefined, origin: undefined },
          relyingParties,
          listDomains,
        );
      } catch (error) {
        if (error instanceof ApiError) return error.body;
      }
      return undefined;
    };
    expect(body(true)).toEqual({ domains: ['a.test', 'b.a.test', 'other.test'] });
    expect(body(false)).toEqual({});
  });

  it.each([
    ['a.test', 'a.test'],
    ['A.Test', 'a.test'],
    ['https://a.test', 'a.test'],
    ['HTTPS://A.TEST:8443/path?q#f', 'a.test'],
    ['http://localhost:8080', 'localhost'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ])('reads the domain of the relying-party header %p as %s', (value, domain) => {
    expect(domainOfHeader(value)).toBe(domain);
  });

  it.each([
    '',
    ' ',
    'a.test, b.a.test',
    ' a.test',
    'a.test.',
    'a..test',
    '.a.test',
    '-a.test',
    'a_b.test',
    'a.test#evil',
    'a.test\\evil',
    'a.test:80',
    'a.test/path',
    'https://evil.test@a.test',
    'https://a.test@evil.test',
    'https:a.test',
    'https:\\\\a.test',
    'ftp://a.test',
    'b\u00fccher.example',
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '[::1]',
    'https://[::1]/',
    `${'a'.repeat(64)}.test`,
    `${'a.'.repeat(130)}test`,
    "' OR 1=1--",
    '../../etc',
    '*.a.test',
    '{{7*7}}',
    '%61.test',
  ])('refuses the relying-party header %p (E0026R)', (value) => {
    expect(outcome({ header: value })).toBe('E0026R');
  });

  it.each(['__proto__', 'constructor', 'com', 'test'])(
    'finds no relying party for the header %p',
    (value) => {
      expect(['E0025R', 'E0026R']).toContain(outcome({ header: value }));
    },
  );
});

function relyingParty(
  domain: string,
  origins = [`https://${domain}`],
  confirmedApps = origins,
): RelyingParty {
  const id = sha256(domain).subarray(0, 16);
  return {
    id,
    tenantId: id,
    tenant: 'acme',
    domain,
    rpIdHash: sha256(domain),
    name: domain,
    origins,
    enrolmentUrl: null,
    colour: null,
    changedAt: 0,
    listedOrigins: origins,
    wellKnown: completeWellKnown(null),
    predecessor: null,
    keyShapes: [],
    policy: readPolicy({}),
    foreignAudiences: [],
    confirmedApps,
  };
}

function outcome(hints: { header?: string; domain?: string; origin?: string }): string {
  const { header, domain, origin } = hints;
  try {
    return resolveRelyingParty({ header, domain, origin }, relyingParties, true).domain;
  } catch (error) {
    if (error instanceof ApiError && error.code) return error.code;
    throw error;
  }
}
