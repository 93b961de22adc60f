import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { accountsFile, clientOf } from '../support/accounts.js';
import { keyClient } from '../support/application-keys.js';
import { attestationRoot } from '../../packages/testing/src/attester.js';
import { HTML, adminClient, type Client } from '../support/client.js';
import { FidoClient } from '../support/fido-client.js';
import { linkOf } from '../support/links.js';
import { pemOf } from '../../packages/testing/src/pem.js';
import { countOf, lastAuditRow } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

type Fields = Readonly<Record<string, string | readonly string[]>>;

const MODEL = 'ee882879-721c-4913-9775-3dfcce97072a';
const ANCHOR = pemOf(attestationRoot().certificate);

const submit = (client: Client, path: string, fields: Fields) => {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map((text): [string, string] => [name, text]),
  );
  return client.send(path, {
    method: 'POST',
    headers: { ...HTML, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(pairs).toString(),
  });
};

/** Without the elements that keep what somebody chose apart. */
const unisolated = (html: string): string => html.replaceAll(/<\/?bdi>/g, '');

describe('the pages of tenants', () => {
  let server: TestServer;
  let admin: Client;
  beforeAll(async () => {
    server = await TestServer.start({ options: { accounts: accountsFile() } });
    admin = adminClient(server.url);
    await server.addRelyingParty('acme', { domain: 'acme.example' });
    await server.addRelyingParty('shop', { domain: 'shop.example' });
  });
  afterAll(() => server.stop());

  const page = async (path: string, client = admin) => (await client.get(path, HTML)).text;
  const find = async (tenant: string, domain: string) => {
    const all = await server.get(TenancyService).listRelyingParties(tenant);
    return all.find((rp) => rp.domain === domain);
  };

  it('list tenants with their relying parties, origins and numbers of users', async () => {
    const name = '<b>Acme</b>';
    await server
      .get(TenancyService)
      .changeRelyingParty(server.call, 'acme', 'acme.example', { name });
    await new FidoClient(server.url, {
      relyingParty: 'shop.example',
    }).register('ann');
    const text = await page('/tenants');
    expect(text).toContain('<a href="/tenants/acme/acme.example">acme.example</a>');
    expect(text).toContain('<code>https://shop.example</code>');
    expect(text).toContain('&lt;b&gt;Acme&lt;/b&gt;');
    expect(text).toMatch(/shop\.example<\/code> <\/td>\s*<td class="number"[^>]*>1<\/td>/);
    expect(text).toMatch(/aria-current="page">(?:<svg[^>]*>.*?<\/svg>)?\s*Tenants/s);
  });

  it('accept an origin without encryption with a warning, as does the API', async () => {
    const origins = ['https://open.example', 'http://open.example'];
    await server.addRelyingParty('shop', { domain: 'open.example', origins });
    expect(await page('/tenants/shop/open.example')).toContain(
      'These origins are not encrypted: http://open.example.',
    );
    const { body } = await admin.get('/tenantapi/tenants/shop/relying-parties');
    const found = (body['relyingParties'] as Record<string, unknown>[]).map(
      ({ domain, warnings }) => [domain, warnings],
    );
    expect(Object.fromEntries(found)).toEqual({
      'open.example': [expect.stringContaining('not encrypted')],
      'shop.example': undefined,
    });
    await server.get(TenancyService).removeRelyingParty(server.call, 'shop', 'open.example');
  });

  it('warn if no origin is on the domain when it is added, tried and saved', async () => {
    const warning = 'None of these origins is on own.example or below it';
    const timesIn = (text: string) => unisolated(text).split(warning).length - 1;
    const add = { domain: 'own.example', name: '', origins: 'https://other.example' };
    await submit(admin, '/tenants/shop', add);
    // In the banner and above the field.
    expect(timesIn(await page('/tenants/shop/own.example'))).toBe(2);
    expect(timesIn(await page('/tenants/shop/own.example'))).toBe(1);
    const own = { name: 'own.example', origins: 'https://www.own.example' };
    const other = { ...own, origins: 'https://another.example' };
    const tried = await submit(admin, '/tenants/shop/own.example/try', own);
    expect(timesIn(await page(tried.headers.get('location') ?? ''))).toBe(0);
    const triedOther = await submit(admin, '/tenants/shop/own.example/try', other);
    // Above the figures and above the field.
    expect(timesIn(await page(triedOther.headers.get('location') ?? ''))).toBe(2);
    await submit(admin, '/tenants/shop/own.example', other);
    const saved = unisolated(await page('/tenants/shop/own.example'));
    expect(saved).toMatch(/<div class="notice warn" role="status"[^]*Saved\.[^]*None of these/);
    await submit(admin, '/tenants/shop/own.example', own);
    expect(timesIn(await page('/tenants/shop/own.example'))).toBe(0);
    await server.get(TenancyService).removeRelyingParty(server.call, 'shop', 'own.example');
  });

  it('explain the mistake of a field once, in the words of the form', async () => {
    const fields = { name: 'Acme', origins: 'https://acme.example/login', enrolmentUrl: '' };
    const wrong = await submit(admin, '/tenants/acme/acme.example', fields);
    const sentence = 'Enter one address per line, up to 100, such as https://www.example.com';
    expect(wrong.text).toContain(
      `<a href="#field-origins">Allowed origins, one per line</a>: ${sentence}`,
    );
    expect(wrong.text.split(sentence).length - 1).toBe(2);
    const elsewhere = { ...fields, origins: 'https://acme.example' };
    const other = { ...elsewhere, enrolmentUrl: 'https://other.example/enrol' };
    const refused = await submit(admin, '/tenants/acme/acme.example', other);
    expect(refused.text).toContain('Enter an address on one of the allowed origins.');
    expect(refused.text).not.toContain('must be');
  });

  it('list many tenants page by page, and find them by part of a name', async () => {
    const many = Array.from({ length: 60 }, (_, n) => `branch-${String(n).padStart(2, '0')}`);
    const tenancy = server.get(TenancyService);
    for (const tenant of many)
      await tenancy.addTenant(server.call, { tenant, displayName: `Büro ${tenant}` });
    const shown: string[] = [];
    let path: string | undefined = '/tenants?filter=b%C3%BCro';
    while (path) {
      const text = await page(path);
      expect(text).toContain('60 tenants');
      shown.push(...[...text.matchAll(/<code>(branch-\d+)<\/code>/g)].map(([, name = '']) => name));
      path = linkOf(text, 'next');
    }
    expect(shown).toEqual(many);
    expect(await page('/tenants?filter=no-such')).toContain('No tenant has this in its name.');
    for (const tenant of many) await tenancy.removeTenant(server.call, tenant);
    expect(await page('/tenants')).not.toContain('action="/tenants" role="search"');
  });

  it('create a tenant and a relying party, which work at once', async () => {
    const created = await submit(admin, '/tenants', { tenant: 'new-one', displayName: 'New one' });
    expect(created.status).toBe(303);
    expect(created.headers.get('location')).toBe('/tenants/new-one');
    expect(await page('/tenants/new-one')).toContain('The tenant is created.');
    expect(await page('/tenants/new-one')).not.toContain('The tenant is created.');
    expect(await lastAuditRow(server)).toMatchObject({ action: 'tenant.create', result: 'ok' });
    const added = await submit(admin, '/tenants/new-one', {
      domain: 'new.example',
      name: '',
      origins: 'https://new.example\r\n\r\n https://*.new.example ',
    });
    expect(added.headers.get('location')).toBe('/tenants/new-one/new.example');
    expect(await find('new-one', 'new.example')).toMatchObject({
      name: 'new.example',
      origins: ['https://new.example', 'https://*.new.example'],
      policy: {},
    });
    const here = { relyingParty: 'new.example', origin: 'https://sub.new.example' };
    expect((await new FidoClient(server.url, here).register('bea')).status).toBe(200);
  });

  it('rename a tenant and show the new name', async () => {
    const tenancy = server.get(TenancyService);
    await tenancy.addTenant(server.call, { tenant: 'renamed', displayName: 'Older' });
    const renamed = await submit(admin, '/tenants/renamed/_rename', { displayName: 'Newer' });
    expect(renamed.headers.get('location')).toBe('/tenants/renamed');
    expect(await page('/tenants/renamed')).toContain('<h1><bdi>Newer</bdi></h1>');
  });

  it.each<[string, string, Fields, string]>([
    ['a short name of capitals', '/tenants', { tenant: 'Acme' }, 'tenant'],
    ['a tenant that there is', '/tenants', { tenant: 'acme' }, 'tenant'],
    ['a name of a line break', '/tenants', { tenant: 'x', displayName: 'a\nb' }, 'displayName'],
    ['an IP address', '/tenants/acme', { domain: '127.0.0.1' }, 'domain'],
    ['a domain of another tenant', '/tenants/acme', { domain: 'shop.example' }, 'domain'],
    [
      'an origin with a path',
      '/tenants/acme',
      { domain: 'x.example', origins: 'https://x.example/a' },
      'origins',
    ],
    ['an empty name', '/tenants/acme/_rename', { displayName: '' }, 'displayName'],
    ['another name to confirm', '/tenants/acme/_remove', { confirm: 'shop' }, 'confirm'],
    ['another domain to confirm', '/tenants/acme/acme.example/remove', { confirm: 'x' }, 'confirm'],
  ])(
    '%s: show 400 with the error beside the field and the entered text in it',
    async (_, path, fields, wrong) => {
      const before = await server.snapshot();
      const { status, text } = await submit(admin, path, fields);
      expect(status).toBe(400);
      expect(text).toContain(`id="${wrong}-error"`);
      expect(text).toMatch(/aria-invalid="true"/);
      expect(text.match(/class="field-error"/g)).toHaveLength(1);
      for (const value of Object.values(fields)) if (value) expect(text).toContain(`${value}`);
      expect(await server.snapshot()).toBe(before);
      expect(await lastAuditRow(server)).toMatchObject({ result: 'refused', code: 'E0045R' });
    },
  );

  const PROFILES = [
    { name: 'Administrators', group: 'admins', rules: { trust: 'all', attestation: 'direct' } },
    { name: 'Guests', group: 'guests', rules: {} },
  ];
  const GENERAL = { name: 'Acme', origins: 'https://acme.example' };
  /** The fields of rules, each with its mode. */
  const enforced = (rules: Readonly<Record<string, string>>) => ({
    ...rules,
    ...Object.fromEntries(Object.keys(rules).map((name) => [`${name}.mode`, 'enforce'])),
  });

  it('edit each policy rule and its mode, and show the set values in words', async () => {
    const saved = await submit(admin, '/tenants/acme/acme.example', {
      ...GENERAL,
      'registration.mode': 'enforce',
      registration: 'first-only',
      'userVerification.mode': 'report',
      userVerification: 'required',
      'residentKey.mode': '',
      residentKey: '',
      'backupEligible.mode': 'off',
      backupEligible: 'refused',
      'algorithms.mode': 'enforce',
      algorithms: ['es256', 'eddsa'],
      'minPinLength.mode': 'report',
      minPinLength: '8',
      'block.mode': 'report',
      block: `${MODEL}\r\n`,
      'allow.mode': 'off',
      allow: '',
      'formats.mode': 'enforce',
      formats: 'packed',
      'attestationTypes.mode': 'report',
      attestationTypes: ['basic', 'attca'],
      'certification.mode': 'enforce',
      certification: 'L1plus',
      'fips.mode': 'report',
      fips: 'L2',
      'certificationProfiles.mode': 'enforce',
      certificationProfiles: 'enterprise',
      'fipsRevision.mode': 'enforce',
      fipsRevision: '140-3',
      'fipsPhysicalSecurity.mode': 'report',
      fipsPhysicalSecurity: 'L3',
      'keyProtection.mode': 'enforce',
      keyProtection: ['tee', 'secure_element'],
      'matcherProtection.mode': 'off',
      matcherProtection: 'on_chip',
      'status.mode': 'enforce',
      status: 'UPDATE_AVAILABLE: refuse\nRETIRED accept',
      'trust.mode': 'report',
      trust: 'all',
      'maxCredentials.mode': 'enforce',
      maxCredentials: '5',
      'counter.mode': 'report',
      counter: 'reject',
      attestation: 'direct',
      aaguid: '',
      topOrigins: 'https://portal.example',
      audiences: 'https://api.example\nreports',
      anchors: `${ANCHOR}\n${ANCHOR}`,
      profiles: JSON.stringify(PROFILES),
    });
    expect(saved.headers.get('location')).toBe('/tenants/acme/acme.example');
    const { name, policy } = (await find('acme', 'acme.example')) ?? {};
    expect(name).toBe('Acme');
    expect(policy).toEqual({
      registration: 'first-only',
      userVerification: { mode: 'report', value: 'required' },
      backupEligible: { mode: 'off', value: 'refused' },
      algorithms: ['es256', 'eddsa'],
      minPinLength: { mode: 'report', value: 8 },
      block: { mode: 'report', list: [MODEL] },
      formats: ['packed'],
      attestationTypes: { mode: 'report', list: ['basic', 'attca'] },
      certification: 'L1plus',
      certificationProfiles: ['enterprise'],
      fips: { mode: 'report', value: 'L2' },
      fipsRevision: '140-3',
      fipsPhysicalSecurity: { mode: 'report', value: 'L3' },
      keyProtection: ['tee', 'secure_element'],
      matcherProtection: { mode: 'off', list: ['on_chip'] },
      status: { mode: 'enforce', UPDATE_AVAILABLE: 'refuse', RETIRED: 'accept' },
      trust: { mode: 'report', value: 'all' },
      maxCredentials: 5,
      counter: { mode: 'report', value: 'reject' },
      attestation: 'direct',
      topOrigins: ['https://portal.example'],
      audiences: ['https://api.example', 'reports'],
      anchors: [ANCHOR.trim(), ANCHOR.trim()],
      profiles: PROFILES,
    });
    const text = await page('/tenants/acme/acme.example');
    expect(unisolated(text)).toContain('Registration is open for a first key only.');
    expect(unisolated(text)).toContain('New keys sign with ES256, EdDSA.');
    expect(unisolated(text)).toContain('An update is available: refuse, No longer made: accept.');
    expect(text).toMatch(/value="UPDATE_AVAILABLE: refuse" selected/);
    const words = text.replaceAll(/<[^>]*>/g, ' ');
    for (const name of ['attca', 'secure_element', 'onFinding', 'first-only', 'UPDATE_AVAILABLE'])
      expect(words).not.toContain(name);
    expect(text).toMatch(/name="formats" value="packed" checked/);
    expect(text).toMatch(
      /name="userVerification.mode">(?:(?!<\/select>)[^])*value="report" selected/,
    );
  });

  it('save and reset the invitation page and the colour', async () => {
    const path = '/tenants/acme/acme.example';
    const userFacing = { enrolmentUrl: 'https://acme.example/enrol', colour: '#1D4ED8' };
    expect((await submit(admin, path, { ...GENERAL, ...userFacing })).status).toBe(303);
    expect(await find('acme', 'acme.example')).toMatchObject(userFacing);
    const told = await page(path);
    expect(told).toContain('<b>Page for invitations</b>');
    for (const value of Object.values(userFacing)) expect(told).toContain(`value="${value}"`);
    const wrong = { enrolmentUrl: 'http://acme.example/enrol', colour: 'blue' };
    for (const [name, value] of Object.entries({ ...wrong, predecessor: 'no domain' })) {
      const { status, text } = await submit(admin, path, { ...GENERAL, [name]: value });
      expect([status, text.includes(`id="${name}-error"`)]).toEqual([400, true]);
    }
    const foreign = { enrolmentUrl: 'https://elsewhere.example/enrol' };
    const refused = await submit(admin, path, { ...GENERAL, ...foreign });
    expect([refused.status, refused.text.includes('id="enrolmentUrl-error"')]).toEqual([400, true]);
    expect(await find('acme', 'acme.example')).toMatchObject(userFacing);
    await submit(admin, path, GENERAL);
    expect(await find('acme', 'acme.example')).toMatchObject({ enrolmentUrl: null, colour: null });
  });

  it('save, show and link to the published files of the domain', async () => {
    const fingerprint = Array.from({ length: 32 }, () => 'AB').join(':');
    const published = {
      relatedOrigins: 'https://acme.test\r\nhttps://acme-shop.test',
      androidApps: `com.acme.app ${fingerprint}, ${fingerprint.toLowerCase()}`,
      appleApps: 'TEAMID1234.com.acme.app',
      enroll: 'https://acme.example/keys/new',
      manage: '',
    };
    const path = '/tenants/acme/acme.example';
    expect((await submit(admin, path, { ...GENERAL, ...published })).status).toBe(303);
    expect(await find('acme', 'acme.example')).toMatchObject({
      wellKnown: {
        relatedOrigins: ['https://acme.test', 'https://acme-shop.test'],
        apps: {
          android: [
            { package: 'com.acme.app', fingerprints: [fingerprint, fingerprint.toLowerCase()] },
          ],
          apple: ['TEAMID1234.com.acme.app'],
        },
        passkeyEndpoints: { enroll: 'https://acme.example/keys/new' },
      },
    });
    const text = await page(path);
    expect(text).toContain('https://acme.test\nhttps://acme-shop.test</textarea>');
    expect(text).toContain(`com.acme.app ${fingerprint} ${fingerprint.toLowerCase()}</textarea>`);
    expect(text).toContain('href="/wellknown/acme.example/assetlinks.json"');
    const wrong = {
      relatedOrigins: 'https://*.acme.test',
      androidApps: 'com.acme.app',
      appleApps: 'com.acme.app',
      enroll: 'http://acme.example',
      manage: 'nowhere',
    };
    const refused = await submit(admin, path, { ...GENERAL, ...wrong });
    expect(refused.status).toBe(400);
    for (const name of Object.keys(wrong)) expect(refused.text).toContain(`id="${name}-error"`);
    const six = [1, 2, 3, 4, 5, 6].map((n) => `https://acme-${n}.test`).join('\n');
    await submit(admin, path, { ...GENERAL, relatedOrigins: six });
    // No rule was changed, so no key is evaluated again.
    const saved = await page(path);
    expect(saved).toContain('Saved. Every instance applies it within two seconds.');
    expect(saved).not.toContain('evaluated again');
    expect(saved).toContain('may ignore these: acme-6.');
    await submit(admin, path, GENERAL);
    expect(await find('acme', 'acme.example')).toMatchObject({
      wellKnown: { relatedOrigins: [], apps: {}, passkeyEndpoints: {} },
    });
  });

  it('show the effect of a change, and the default of a rule that is not set', async () => {
    await submit(admin, '/tenants/acme/acme.example', {
      ...GENERAL,
      ...enforced({ registration: 'first-only' }),
      anchors: `${ANCHOR}\n${ANCHOR}`,
      'backupEligible.mode': 'off',
      backupEligible: 'refused',
    });
    const fields = { registration: 'ticket', block: MODEL, formats: 'packed', maxCredentials: '5' };
    expect(
      (await submit(admin, '/tenants/acme/acme.example', { ...GENERAL, ...enforced(fields) }))
        .status,
    ).toBe(303);
    expect((await find('acme', 'acme.example'))?.policy).toEqual({
      ...fields,
      block: [MODEL],
      formats: ['packed'],
      maxCredentials: 5,
    });
    const told = unisolated(await page('/tenants/acme/acme.example'));
    expect(told).toContain('Saved. Every instance applies it within two seconds.');
    expect(told).toContain('Then the stored keys are evaluated again');
    const change = (what: string) =>
      new RegExp(
        `<li><b>${what}</b>: <span class="before">(.*?)</span> → <span class="after">(.*?)<`,
      )
        .exec(told)
        ?.slice(1);
    expect(change('Who may register')).toEqual([
      'enforced: open for a first key only',
      'enforced: for tickets and invitations',
    ]);
    expect(change('Keys that can be synced')).toEqual(['off', 'not set: allowed']);
    expect(change('Trust anchors')).toEqual(['2 certificates', 'not set: none']);
    expect(change('Allowed origins')).toBeUndefined();
    const again = { ...GENERAL, ...enforced(fields) };
    await submit(admin, '/tenants/acme/acme.example', again);
    expect(await page('/tenants/acme/acme.example')).toContain(
      'Nothing was changed: it was already like this',
    );
    const text = await page('/tenants/acme/acme.example');
    expect(text).not.toContain('class="changes"');
    expect(text).toMatch(/name="registration.mode">(?:(?!<\/select>)[^])*value="enforce" selected/);
    expect(text).toContain('Not set: open to everybody, as this server is set up');
    expect(text).toContain('Not set: asked for where possible, unless the caller wants otherwise');
  });

  it('a page of its own asks who may register, in three sentences, and changes nothing else', async () => {
    const at = '/tenants/acme/acme.example';
    await submit(admin, at, { ...GENERAL, ...enforced({ block: MODEL }) });
    const shown = await page(`${at}/registration`);
    expect(shown.match(/<input type="radio"/g)).toHaveLength(3);
    expect(shown).not.toMatch(/<input type="radio"[^>]*checked/);
    const [, version = ''] = /name="version" value="([^"]*)"/.exec(shown) ?? [];
    const form = { version: version.replaceAll('&quot;', '"'), registration: 'ticket' };
    const saved = await submit(admin, `${at}/registration`, form);
    expect(saved.headers.get('location')).toBe(at);
    expect((await find('acme', 'acme.example'))?.policy).toEqual({
      block: [MODEL],
      registration: 'ticket',
    });
    expect(await page(`${at}/registration`)).toMatch(/value="ticket" required checked/);
    expect(await lastAuditRow(server)).toMatchObject({
      action: 'relying-party.change',
      result: 'ok',
    });
    // A second window shows what was stored before.
    const late = { ...form, registration: 'open' };
    expect((await submit(admin, `${at}/registration`, late)).status).toBe(412);
    const wrong = { ...form, registration: 'everybody' };
    expect((await submit(admin, `${at}/registration`, wrong)).status).toBe(400);
    expect((await find('acme', 'acme.example'))?.policy).toMatchObject({ registration: 'ticket' });
  });

  it('who may register needs no mode in the form of all rules', async () => {
    const at = '/tenants/acme/acme.example';
    const values = { registration: 'ticket', 'registration.mode': '' };
    expect((await submit(admin, at, { ...GENERAL, ...values })).status).toBe(303);
    expect((await find('acme', 'acme.example'))?.policy).toEqual({ registration: 'ticket' });
  });

  describe('the box "Remove the rule"', () => {
    const at = '/tenants/acme/acme.example';
    const unset = (text: string, rule: string) =>
      new RegExp(`<select name="${rule}.mode"[^]*?<option value="(\\w*)"`).exec(text)?.[1];
    const chosen = (text: string) => ({
      ...GENERAL,
      block: MODEL,
      'block.mode': unset(text, 'block') ?? '?',
      'block.when': 'both',
      ...enforced({ registration: 'ticket' }),
    });
    const set = { ...GENERAL, ...enforced({ block: MODEL, registration: 'ticket' }) };
    beforeEach(() => submit(admin, at, set));

    it('removes only its own rule, and says so', async () => {
      const before = await page(at);
      const sent = { ...chosen(before), 'registration.mode': unset(before, 'registration') ?? '?' };
      expect((await submit(admin, at, sent)).status).toBe(303);
      expect((await find('acme', 'acme.example'))?.policy).toEqual({});
      const told = await page(at);
      expect(told).toMatch(/Blocked models[^]*?enforced: [^]*?→[^]*?not set: none/);
      expect(told).not.toContain('Nothing was changed');
      expect(before).toMatch(/<option value="none">Remove the rule/);
      expect(told).not.toContain('Remove the rule<');
    });

    it('the box "Remove the rule" is not offered for a rule that is not set, whose value needs a mode', async () => {
      await submit(admin, at, GENERAL);
      const values = { block: MODEL, 'block.mode': '' };
      const refused = await submit(admin, at, { ...GENERAL, ...values });
      expect(refused.status).toBe(400);
      expect(refused.text).toContain('Choose a mode too, or empty the values.');
      expect(refused.text).toMatch(/<details class="rules" open>[^]*id="field-block"/);
      expect((await find('acme', 'acme.example'))?.policy).toEqual({});
      const chosenMode = { ...GENERAL, ...values, 'block.mode': 'report' };
      expect((await submit(admin, at, chosenMode)).status).toBe(303);
      expect((await find('acme', 'acme.example'))?.policy).toEqual({
        block: { mode: 'report', list: [MODEL] },
      });
    });

    it('the server keeps only a few forms of an account that tries many policies', async () => {
      const sent = chosen(await page(at));
      let outcome = '';
      for (let n = 0; n < 25; n += 1) {
        const { headers } = await submit(admin, `${at}/try`, sent);
        outcome = headers.get('location') ?? '';
      }
      expect(await countOf(server, "secrets WHERE name LIKE 'draft %'")).toBeLessThanOrEqual(20);
      expect((await admin.get(outcome, HTML)).text).toContain('What this policy would mean');
    });

    it('the box "Remove the rule" remains selected when the page is shown again after an error or a trial', async () => {
      const sent = chosen(await page(at));
      const led = await submit(admin, `${at}/try`, sent);
      const outcome = led.headers.get('location') ?? '';
      const tried = await admin.get(outcome, HTML);
      const refused = await submit(admin, at, { ...sent, colour: 'blue' });
      expect([led.status, tried.status, refused.status]).toEqual([303, 200, 400]);
      expect(tried.text).toContain('What this policy would mean');
      expect((await admin.get(outcome, HTML)).text).toContain('What this policy would mean');
      for (const none of [`${at}/try`, `${at}/try?form=none`]) {
        expect((await admin.get(none, HTML)).text).not.toContain('What this policy would mean');
      }
      for (const { text } of [tried, refused]) {
        expect(text).toMatch(/name="block.mode"[^>]*>\s*<option value="" selected>Not set/);
        expect(text).not.toContain(`>${MODEL}</textarea>`);
      }
    });
  });

  it.each<[string, object | undefined]>([
    ['trust', { mode: 'off' }],
    ['status', { mode: 'off' }],
    ['counter', { mode: 'off', value: 'reject' }],
    ['registration', undefined],
  ])(
    'a rule that is off without a value is stored if it holds by default: %s',
    async (name, stored) => {
      const sent = { ...GENERAL, [`${name}.mode`]: 'off', [name]: '' };
      expect((await submit(admin, '/tenants/acme/acme.example', sent)).status).toBe(303);
      expect((await find('acme', 'acme.example'))?.policy).toEqual(
        stored ? { [name]: stored } : {},
      );
    },
  );

  it('a trial applies a rule to sign-ins from the chosen day, whether its box is ticked or not', async () => {
    const sent = { ...GENERAL, ...enforced({ formats: 'packed' }), 'formats.from': '2027-01-01' };
    expect((await submit(admin, '/tenants/acme/acme.example', sent)).status).toBe(303);
    expect((await find('acme', 'acme.example'))?.policy).toEqual({
      formats: { mode: 'enforce', list: ['packed'], when: 'both', from: '2027-01-01' },
    });
  });

  describe('the form of a policy', () => {
    const at = '/tenants/picks/picks.example';
    const kept = async () => (await find('picks', 'picks.example'))?.policy;
    const form = { name: 'Picks', origins: 'https://picks.example' };
    beforeAll(() => server.addRelyingParty('picks', { domain: 'picks.example' }));
    beforeEach(() => submit(admin, at, form));

    /** The page that a draft leads to, which a reload and the way back read again. */
    async function draft(step: 'preset' | 'models', sent: Record<string, string>) {
      const { status, headers } = await submit(admin, `${at}/${step}`, sent);
      expect(status).toBe(303);
      const { text } = await admin.get(headers.get('location') ?? '', HTML);
      return text;
    }

    it.each([
      ['hardware', 'Keys that can be synced', 'enforced: refused', 'only reported: of every key'],
      ['certified', 'FIDO certification', 'only reported: level 2', 'as the key gives it'],
      ['synced', 'without a user name', 'enforced: required', 'never'],
    ])('shows the rules of the preset %s without saving them', async (preset, ...said) => {
      const text = await draft('preset', { ...form, preset });
      expect(text).toContain('It applies once you save it.');
      expect(text).toContain('value="Picks"');
      for (const words of said) expect(unisolated(text)).toContain(words);
      expect(await kept()).toEqual({});
    });

    it('requires trust in a preset if the server can check it', async () => {
      const sent = { ...form, preset: 'hardware', anchors: ANCHOR };
      expect(unisolated(await draft('preset', sent))).toContain('enforced: of every key');
      const wrong = await submit(admin, `${at}/preset`, { ...form, preset: 'nothing' });
      expect(wrong.status).toBe(400);
    });

    it('finds models by name and blocks the selected ones', async () => {
      const looked = { ...form, 'block.find': 'yubikey 5 series with nfc' };
      const found = await draft('models', looked);
      const [, aaguid = ''] = /name="block.add" value="([^"]+)"/.exec(found) ?? [];
      expect(aaguid).toMatch(/^[0-9a-f-]{36}$/);
      const sent = { ...form, ...enforced({ block: MODEL }), 'block.add': aaguid };
      expect((await submit(admin, at, sent)).status).toBe(303);
      expect(await kept()).toEqual({ block: [MODEL, aaguid] });
      expect(await page(at)).toMatch(/<bdi>YubiKey 5 [^<]*NFC/);
    });

    it('saves nothing when Enter is pressed in the search for a model', async () => {
      const before = await kept();
      const { status, text } = await submit(admin, at, { ...form, 'allow.find': 'titan' });
      expect(status).toBe(400);
      expect(text).toContain('Tick the models, then save.');
      expect(text).toMatch(/name="allow.add" value="[^"]+"> [^]*?Titan/);
      expect(await kept()).toEqual(before);
    });
  });

  it('an unchanged policy form leaves the policy unchanged', async () => {
    const policy = {
      counter: 'warn',
      trust: { mode: 'enforce' },
      allow: { mode: 'enforce', list: [MODEL] },
      maxCredentials: { mode: 'report', value: 3 },
      residentKey: 'required',
      aaguid: 'reported',
    } as const;
    await server.addRelyingParty('acme', { domain: 'round.example', policy });
    const text = await page('/tenants/acme/round.example');
    const fields: Record<string, string> = { name: 'R', origins: 'https://round.example' };
    for (const [, name = '', body = ''] of text.matchAll(
      /<select name="([^"]+)">(.*?)<\/select>/gs,
    )) {
      fields[name] =
        /value="([^"]*)" selected/.exec(body)?.[1] ?? /value="([^"]*)"/.exec(body)?.[1] ?? '';
    }
    for (const [, name = '', body = ''] of text.matchAll(
      /<textarea name="([^"]+)"[^>]*>([^<]*)/g,
    )) {
      if (name !== 'origins') fields[name] = body;
    }
    fields['maxCredentials'] = '3';
    expect((await submit(admin, '/tenants/acme/round.example', fields)).status).toBe(303);
    expect((await find('acme', 'round.example'))?.policy).toEqual({
      counter: { mode: 'report', value: 'reject' },
      trust: 'all',
      allow: [MODEL],
      maxCredentials: { mode: 'report', value: 3 },
      residentKey: 'required',
      aaguid: 'reported',
    });
  });

  it.each<[string, Fields, string]>([
    ['allow', { 'allow.mode': 'enforce', allow: 'no AAGUID' }, 'no AAGUID'],
    ['block', { block: MODEL }, MODEL],
    ['formats', { 'formats.mode': 'enforce' }, ''],
    ['formats', { 'formats.when': 'both' }, ''],
    ['allow', { 'allow.from': '2027-01-01' }, '2027-01-01'],
    ['status', { 'status.mode': 'report', status: 'REVOKED: perhaps' }, ''],
    ['status', { 'status.mode': 'enforce', status: 'mode: off' }, ''],
    ['maxCredentials', { 'maxCredentials.mode': 'enforce', maxCredentials: '0x5x' }, '0x5x'],
    ['maxCredentials', { 'maxCredentials.mode': 'enforce', maxCredentials: '' }, ''],
    ['minPinLength', { 'minPinLength.mode': 'enforce', minPinLength: '3' }, '3'],
    ['trust', { 'trust.mode': 'perhaps' }, ''],
    ['counter', { 'counter.mode': 'enforce', counter: 'nothing' }, ''],
    ['anchors', { anchors: `${ANCHOR}\nand more` }, 'and more'],
    ['audiences', { audiences: 'https://api.example\ntwo words' }, 'two words'],
    ['topOrigins', { topOrigins: 'portal' }, 'portal'],
    ['profiles', { profiles: '[{' }, 'must be an array of at most 20 profiles'],
    [
      'profiles',
      { profiles: JSON.stringify([{ ...PROFILES[0], rules: { formats: ['gold'] } }]) },
      'policy.profiles[0].rules.formats',
    ],
    ['unknownUsers', { unknownUsers: 'pretend' }, 'Choose this together with'],
  ])('a policy with a wrong %s is not saved: %j', async (wrong, fields, typed) => {
    const before = await server.snapshot();
    const { status, text } = await submit(admin, '/tenants/acme/acme.example', {
      ...GENERAL,
      ...fields,
    });
    expect(status).toBe(400);
    expect(text).toContain(`id="${wrong}-error"`);
    expect(text).toContain(`<a href="#field-${wrong}">`);
    expect(text).toMatch(new RegExp(`<details class="policy-field" open>[^]*?id="field-${wrong}"`));
    expect(text.match(/class="field-error"/g)).toHaveLength(1);
    expect(text).toContain(typed);
    expect(await server.snapshot()).toBe(before);
  });

  it('a relying party and a tenant are deleted after their name is typed', async () => {
    await server.addRelyingParty('leaving', { domain: 'leaving.example' });
    const gone = await submit(admin, '/tenants/leaving/leaving.example/remove', {
      confirm: 'leaving.example',
    });
    expect(gone.headers.get('location')).toBe('/tenants/leaving');
    expect(await find('leaving', 'leaving.example')).toBeUndefined();
    const removed = await submit(admin, '/tenants/leaving/_remove', { confirm: 'leaving' });
    expect(removed.headers.get('location')).toBe('/tenants');
    expect((await admin.get('/tenants/leaving', HTML)).status).toBe(404);
  });

  it('auditors see no buttons, and tenant accounts see only their tenant', async () => {
    const auditor = clientOf(server.url, 'auditor');
    const text = await page('/tenants/acme/acme.example', auditor);
    expect(text).toContain('<fieldset class="plain" disabled>');
    expect(text).toContain('More rules');
    expect(text).not.toContain('Add a rule');
    expect(text).not.toContain('Open a sentence to change it');
    expect(text).not.toContain('<button type="submit"');
    expect((await submit(auditor, '/tenants/acme/acme.example', GENERAL)).status).toBe(403);
    const limited = clientOf(server.url, 'acme-admin');
    expect(await page('/tenants', limited)).not.toContain('shop');
    expect(await page('/tenants', limited)).not.toContain('Create a tenant');
    expect(await page('/tenants/acme', limited)).not.toContain('Delete this tenant');
    expect((await limited.get('/tenants/shop/shop.example', HTML)).status).toBe(404);
    expect((await submit(limited, '/tenants/shop/shop.example', GENERAL)).status).toBe(404);
    expect((await submit(limited, '/tenants/acme/acme.example', GENERAL)).status).toBe(303);
  });

  describe('the page of a tenant’s application keys', () => {
    const KEYS = '/tenants/acme/_keys';
    const GOOD = { tenant: 'acme', name: '<web> shop', scopes: ['tickets', 'users:read'] };
    const secretIn = (text: string) => /class="secret"[^>]*>(sfk_[\w-]{49})</.exec(text)?.[1] ?? '';
    const works = async (secret: string) =>
      (await keyClient(server.url, secret, 'acme.example').get('/userapi/manageusers')).status;
    const revocationIn = (text: string) => /action="([^"]+\/_revoke)"/.exec(text)?.[1];
    afterEach(async () => {
      const revoke = revocationIn(await page(KEYS));
      if (revoke) await submit(admin, revoke, {});
    });

    it('issues keys with a secret that is shown once, lists and revokes them', async () => {
      expect(await page('/tenants/acme')).toContain(`href="${KEYS}"`);
      const issued = await submit(admin, KEYS, { ...GOOD, relyingParties: 'acme.example' });
      expect(issued.status).toBe(201);
      expect(issued.headers.get('cache-control')).toBe('no-store');
      const secret = secretIn(issued.text);
      expect(await works(secret)).toBe(200);
      expect(await lastAuditRow(server)).toMatchObject({
        action: 'application-key.issue',
        result: 'ok',
      });
      const text = await page(KEYS);
      expect(text).not.toContain(secret);
      expect(text).toContain('&lt;web&gt; shop');
      expect(text).toContain(`<code>${secret.slice(0, 12)}…</code>`);
      expect(text).toContain('<code>acme.example</code>');
      const revoked = await submit(admin, revocationIn(text) ?? '', {});
      expect(revoked.headers.get('location')).toBe(`${KEYS}`);
      expect(await lastAuditRow(server)).toMatchObject({
        action: 'application-key.revoke',
        result: 'ok',
      });
      expect(await works(secret)).toBe(401);
      expect(await page(`${KEYS}`)).toContain('The key is revoked.');
      expect(await page(KEYS)).toContain('No key yet');
    });

    it.each<[string, Fields, string]>([
      ['name', { name: '' }, 'Enter a name of up to 64 characters'],
      ['scopes', { scopes: [] }, 'Tick at least one.'],
      ['expiresAt', { expiresAt: '2020-01-31' }, 'Choose a day in the future.'],
      ['expiresAt', { expiresAt: 'soon' }, 'Choose a day.'],
    ])(
      'E0045R: keep the entered text and explain the error in "%s"',
      async (field, wrong, sentence) => {
        const answer = await submit(admin, KEYS, { ...GOOD, ...wrong });
        expect(answer.status).toBe(400);
        expect(answer.text).toContain(`id="${field}-error"`);
        expect(answer.text).toContain(sentence);
        if (field !== 'scopes') expect(answer.text).toMatch(/value="tickets" checked/);
        expect(await page(KEYS)).toContain('No key yet');
      },
    );

    it('ends a key at the beginning of a day of the reader’s time zone', async () => {
      expect(await page(KEYS)).toContain('name="zone" data-zone');
      const expiring = { ...GOOD, expiresAt: '2035-01-31', zone: 'America/Los_Angeles' };
      const { text } = await submit(admin, KEYS, expiring);
      expect(text).toContain('<time datetime="2035-01-31T08:00:00.000Z">');
    });

    it('issues keys for the tenant in the address, whatever the form says', async () => {
      const limited = clientOf(server.url, 'acme-admin');
      const issued = await submit(limited, KEYS, { ...GOOD, tenant: 'shop' });
      expect(await works(secretIn(issued.text))).toBe(200);
      expect(await page('/tenants/shop/_keys')).toContain('No key yet');
      expect((await submit(limited, '/tenants/shop/_keys', GOOD)).status).toBe(404);
      expect((await limited.get('/tenants/shop/_keys', HTML)).status).toBe(404);
    });

    it('shows the keys to auditors without buttons', async () => {
      await submit(admin, KEYS, GOOD);
      const auditor = clientOf(server.url, 'auditor');
      const text = await page(KEYS, auditor);
      expect(text).toContain('sfk_');
      expect(text).not.toContain('<button type="submit"');
      expect((await submit(auditor, KEYS, GOOD)).status).toBe(403);
    });
  });

  it('a webhook without events keeps its address and asks for one', async () => {
    const answer = await submit(admin, '/tenants/acme/_webhooks', {
      url: 'https://hooks.example/',
    });
    expect(answer.status).toBe(400);
    expect(answer.text).toMatch(/id="events-error">.*Tick at least one\./);
    expect(answer.text).toContain('value="https://hooks.example/"');
  });

  it('a form without the page’s token is refused, and programs get JSON', async () => {
    const forged = await admin.send('/tenants', {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
      },
      body: 'tenant=forged',
    });
    expect(forged).toMatchObject({ status: 403, body: { errorCode: 'E0043R' } });
    const json = await admin.post('/tenants', { tenant: 'Bad' });
    expect(json).toMatchObject({ status: 400, body: { errorCode: 'E0045R' } });
  });
});
