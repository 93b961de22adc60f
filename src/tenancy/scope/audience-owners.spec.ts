import { AudienceOwners } from './audience-owners.js';

const holder = (tenant: string, domain: string, ...audiences: string[]) => ({
  tenant,
  domain,
  policy: { audiences },
});
const acme = holder('acme', 'acme.example');
const bank = holder('bank', 'bank.example');
const owners = new AudienceOwners([acme, bank, holder('globex', 'shop.acme.example')]);

describe('the owner of an audience', () => {
  it.each([
    'bank.example',
    'api.bank.example',
    'BANK.example',
    'bank.example.',
    'https://bank.example',
    'https://API.bank.example:443/v1?x=1#y',
    'https://api.bank.example:8443',
    'https://api.%62ank.example/',
    'HTTPS://bank.example./',
    'api://bank.example/reports',
  ])('%s belongs to the tenant of its domain, which may list it', (audience) => {
    expect(owners.areOwners(['bank'], audience)).toBe(true);
    expect(owners.areOwners(['acme', 'globex'], audience)).toBe(false);
    expect(owners.isForeign('bank', audience)).toBe(false);
    expect(owners.isForeign('acme', audience)).toBe(true);
    expect(owners.otherHolder('acme', audience)).toBe('bank');
  });

  it.each([
    'bank.example/api',
    'api.bank.example/v1',
    'bank.example:443',
    'BANK.example:8443/api',
    'urn:bank.example:api',
    'URN:Bank.Example:api',
    'bank.example%2Fapi',
    'bank%2Eexample:443',
    'https://acme.example@bank.example',
    'https://bank.example@acme.example',
    'https://bank.example\\@acme.example',
    'https:\\\\bank.example',
    'https:/bank.example',
    '//bank.example',
    'bank.example://acme.example',
    'https://*.bank.example',
    'https://bank.example:',
    'mailto:api@bank.example',
  ])(
    '%s belongs to the tenant of a domain in it, and only accounts of all tenants list it',
    (audience) => {
      expect(owners.isForeign('globex', audience)).toBe(true);
      expect(owners.areOwners(['acme', 'bank', 'globex'], audience)).toBe(false);
    },
  );

  it.each([
    'bank-api',
    'BANK',
    'localhost',
    'urn:bank:api',
    'https://bank',
    '',
    'https://10.0.0.1',
  ])('%j belongs to no tenant until one lists it', (audience) => {
    expect(owners.areOwners(['bank'], audience)).toBe(false);
    expect(owners.isForeign('acme', audience)).toBe(false);
    expect(owners.otherHolder('acme', audience)).toBeUndefined();
  });

  it('the longest domain decides, whichever tenant was first', () => {
    for (const audience of ['https://shop.acme.example', 'api.shop.acme.example/x']) {
      expect(owners.isForeign('globex', audience)).toBe(false);
      expect(owners.isForeign('acme', audience)).toBe(true);
    }
    expect(owners.isForeign('acme', 'https://www.acme.example')).toBe(false);
    expect(owners.isForeign('globex', 'https://acme.example')).toBe(true);
  });

  it('a name that only looks like a domain of a tenant is not its own', () => {
    expect(owners.isForeign('acme', 'https://notbank.example')).toBe(false);
    expect(owners.isForeign('acme', 'https://bank.example.org')).toBe(false);
    expect(owners.areOwners(['bank'], 'https://notbank.example')).toBe(false);
  });

  it.each([
    ['https://API.partner.test', 'https://api.partner.test:443/'],
    ['partner.test', 'PARTNER.test.'],
    ['orders', 'Orders'],
    ['urn:x:y', 'URN:X:y'],
    ['https://p.test/%61', 'https://p.test/a'],
    ['http://p.test:080', 'http://p.test'],
  ])('%s and %s are the same audience, which neither of two tenants may use', (one, other) => {
    for (const both of [
      [holder('acme', 'acme.example', one), holder('bank', 'bank.example', other)],
      [holder('bank', 'bank.example', one), holder('acme', 'acme.example', other)],
    ]) {
      const rivals = new AudienceOwners(both);
      for (const audience of [one, other]) {
        expect(rivals.isForeign('acme', audience)).toBe(true);
        expect(rivals.isForeign('bank', audience)).toBe(true);
        expect(rivals.otherHolder('globex', audience)).toBeDefined();
      }
    }
    const alone = new AudienceOwners([acme, holder('bank', 'bank.example', one)]);
    expect(alone.isForeign('bank', one)).toBe(false);
    expect(alone.isForeign('acme', other)).toBe(true);
  });

  it.each([
    ['https://p.test/a', 'https://p.test/A'],
    ['https://p.test', 'http://p.test'],
    ['https://p.test', 'https://p.test:8443'],
  ])('%s and %s are two audiences', (one, other) => {
    const rivals = new AudienceOwners([holder('bank', 'bank.example', one)]);
    expect(rivals.isForeign('acme', other)).toBe(false);
  });

  it('a tenant keeps an audience of its own domain that another one lists too', () => {
    const squatted = holder('acme', 'acme.example', 'https://api.bank.example');
    for (const order of [
      [squatted, bank],
      [bank, squatted],
    ]) {
      const rivals = new AudienceOwners(order);
      expect(rivals.isForeign('bank', 'https://api.bank.example')).toBe(false);
      expect(rivals.foreignOf(squatted)).toEqual(['https://api.bank.example']);
      expect(rivals.otherHolder('bank', 'https://api.bank.example')).toBe('acme');
      expect(rivals.listedElsewhere('bank', 'bank.example')).toEqual([
        { domain: 'bank.example', holder: squatted, audiences: ['https://api.bank.example'] },
      ]);
    }
  });
});
