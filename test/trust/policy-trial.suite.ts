import { Database } from '../../src/platform/database/database.js';
import { POLICY_SCHEMA, type RelyingPartyPolicy } from '../../src/tenancy/policy/policy.js';
import { translate } from '../../src/platform/pages/languages/languages.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { PolicyTrial } from '../../src/trust/trial/policy-trial.js';
import { evaluateKeys } from '../support/key-evaluation.js';
import { AdminClient } from '../support/admin-client.js';
import {
  SoftAuthenticator,
  type SoftAuthenticatorOptions,
} from '../../packages/testing/src/soft-authenticator.js';
import { adminClient } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { writeBlob } from '../../packages/testing/src/blob-writer.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { randomPolicies } from '../support/random-policies.js';
import { countOf, relyingPartyOf, rowsOf } from '../support/rows.js';
import { MDS_ROOTS, modelEntry, uploadBlob } from '../support/metadata.js';
import { TestServer } from '../support/test-server.js';
import { aaguidBytes } from '../../src/webauthn/aaguid.js';

/** Policies that are tried and then enforced, and how many keys there are. */
const POLICIES = 8;
const USERS = 12;
const SEED = 20_261_122;

const REVOKED = '5a4c0000-0000-4000-8000-000000000001';
const OLD = '01d00000-0000-4000-8000-000000000002';
const SOUND = '50d00000-0000-4000-8000-000000000003';
const STRANGE = '57a00000-0000-4000-8000-000000000004';
const MODELS = [REVOKED, OLD, SOUND, STRANGE];

const FIPS = { fipsRevision: 2, fipsPhysicalSecurityLevel: 2 };

const { one, anyPolicy, anyDevice } = randomPolicies(SEED, MODELS);

describe.each(DATABASES)('the trial of a policy, on %s', (on) => {
  let server: TestServer;
  let admin: AdminClient;
  const domain = 'trial.example';
  const LAX: RelyingPartyPolicy = { trust: 'off', status: { mode: 'off' }, onFinding: 'report' };

  beforeAll(async () => {
    server = await TestServer.start({ on, options: { mds: ['upload'], mdsRoots: MDS_ROOTS } });
    await uploadBlob(server, metadataBlob());
    await server.addRelyingParty('acme', { domain, policy: LAX });
    admin = new AdminClient(server.url, domain);
    for (let n = 0; n < USERS; n += 1) {
      const attestation = one(['none', 'direct']);
      const asked = { attestation, extensions: { minPinLength: one([true, false]) } };
      // At least one key can be synced, whatever is drawn.
      const device = n === 0 ? { ...anyDevice(), backupEligible: true } : anyDevice();
      const answer = await newUser(device).register(`user-${n % 8}`, asked);
      expect(answer.status).toBe(200);
    }
  });
  afterAll(() => server.stop());

  it('predicts the effect of enforcing random policies', async () => {
    for (let n = 0; n < POLICIES; n += 1) {
      const policy = anyPolicy();
      const { keys } = await tried(policy);
      await enforce(policy);
      const found = await rowsOf<{ rule: string; code: string; n: number }>(
        server,
        `SELECT f.rule, f.code, COUNT(*) n FROM findings f JOIN relying_parties r
         ON r.id = f.relying_party_id WHERE r.domain = ? GROUP BY f.rule, f.code`,
        domain,
      );
      const happened = found.map((row) => `${row.rule} ${row.code} ${row.n}`).sort();
      const { pass, report: reported, refuse, notJudged } = keys;
      expect({ policy, refused: refusals(keys) }).toEqual({ policy, refused: happened });
      expect(pass + reported + refuse + notJudged).toBe(keys.total);
      expect(keys.total).toBe(USERS);
    }
  }, 3_600_000);

  it('predicts whether a registration is refused, reported or accepted', async () => {
    await enforce(LAX);
    const policy: RelyingPartyPolicy = {
      trust: 'off',
      status: { mode: 'off' },
      block: [SOUND],
      backupEligible: { mode: 'report', value: 'refused' },
      maxCredentials: 2,
    };
    const devices: readonly SoftAuthenticatorOptions[] = [
      { attestation: 'packed', aaguid: aaguidBytes(SOUND) },
      { attestation: 'packed', aaguid: aaguidBytes(STRANGE), backupEligible: true },
      { attestation: 'packed', aaguid: aaguidBytes(STRANGE) },
      { attestation: 'packed', aaguid: aaguidBytes(STRANGE) },
    ];
    const before = (await tried(policy)).registrations;
    for (const device of devices) {
      const answer = await newUser(device).register('greta', { attestation: 'direct' });
      expect(answer.status).toBe(200);
    }
    const after = (await tried(policy)).registrations;
    const more = (name: 'total' | 'pass' | 'report' | 'refuse') => after[name] - before[name];
    expect([more('total'), more('pass'), more('report'), more('refuse')]).toEqual([4, 0, 1, 3]);
    await admin.manage({ type: 'deluser', filter: 'greta' });
    await enforce(policy);
    const codes = [];
    for (const device of devices) {
      const answer = await newUser(device).register('greta', { attestation: 'direct' });
      codes.push(answer.status === 200 ? 'ok' : answer.body['errorCode']);
    }
    // The first was never stored this time: there is room for one more.
    expect(codes).toEqual(['E0037R', 'ok', 'ok', 'E0043R']);
    await admin.manage({ type: 'deluser', filter: 'greta' });
  });

  it('the trial of a policy judges each user of a sample by all keys of the user', async () => {
    const place = { domain: 'sample.example', policy: LAX };
    await server.addRelyingParty('acme', place);
    for (let n = 0; n < 8; n += 1) {
      for (const model of [SOUND, STRANGE]) {
        const device = { attestation: 'packed', aaguid: aaguidBytes(model) } as const;
        const client = newUser(device, place.domain);
        const answer = await client.register(`user-${n}`, { attestation: 'direct' });
        expect(answer.status).toBe(200);
      }
    }
    const policy = { ...LAX, block: [SOUND], onFinding: 'disable' };
    const body = { relyingParty: place.domain, policy };
    const inOrder = await rowsOf<{ aaguid: Buffer }>(
      server,
      'SELECT aaguid FROM credentials WHERE relying_party_id = ? ORDER BY credential_hash',
      relyingPartyOf(server, place.domain).id,
    );
    const trial = server.get(PolicyTrial);
    const { maxKeys, pageSize } = trial;
    for (const total of [6, inOrder.length]) {
      Object.assign(trial, { maxKeys: total === 6 ? total : maxKeys, pageSize: 4 });
      const { body: found } = await admin.post('/userapi/policy/try', body);
      Object.assign(trial, { maxKeys, pageSize });
      const sample = inOrder.slice(0, total);
      const refuse = sample.filter(({ aaguid }) => aaguid.equals(aaguidBytes(SOUND))).length;
      const { total: met } = found['users'] as { total: number };
      const users = { canSignIn: met, withoutKey: 0, unverified: 0, onlyBrokenKeys: 0 };
      const keys = { total, pass: total - refuse, refuse };
      expect(found).toMatchObject({ complete: total > 6, users, keys });
      expect(met < 8).toBe(total === 6);
    }
  });

  it('counts the users without a remaining key and invites them from the page', async () => {
    await enforce(LAX);
    const blocked = { attestation: 'packed', aaguid: aaguidBytes(SOUND) } as const;
    const other = { attestation: 'packed', aaguid: aaguidBytes(STRANGE) } as const;
    const direct = { attestation: 'direct' } as const;
    const usersOf = async (policy: RelyingPartyPolicy) => {
      const answer = await admin.post('/userapi/policy/try', { relyingParty: domain, policy });
      return answer.body['users'] as Readonly<
        Record<'total' | 'canSignIn' | 'withoutKey' | 'onlyBrokenKeys', number>
      >;
    };
    const strict = { ...LAX, block: [SOUND], onFinding: 'disable' } as const;
    const before = await usersOf(strict);
    await newUser(blocked).register('iris', direct);
    await newUser(blocked).register('jonas', direct);
    await newUser(other).register('jonas', direct);
    const after = await usersOf(strict);
    expect({ ...after, total: after.total - before.total }).toEqual({
      total: 2,
      canSignIn: before.canSignIn + 2,
      withoutKey: before.withoutKey + 1,
      unverified: 0,
      onlyBrokenKeys: before.onlyBrokenKeys + 1,
    });
    const reported = await usersOf({ ...LAX, block: [SOUND] });
    expect(reported).toEqual({ ...after, withoutKey: 0 });
    const later = { mode: 'enforce', list: [SOUND], when: 'both', from: '2099-01-01' } as const;
    expect((await usersOf({ ...LAX, block: later })).withoutKey).toBe(after.withoutKey);
    const form = {
      name: 'Trial',
      origins: `https://${domain}\n${server.url}`,
      block: SOUND,
      'block.mode': 'enforce',
      onFinding: 'disable',
      'trust.mode': 'off',
      'status.mode': 'off',
    };
    const send = (path: string) =>
      adminClient(server.url).send(`/tenants/acme/${domain}/${path}`, {
        method: 'POST',
        headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(form).toString(),
      });
    const said = `${after.withoutKey} of ${after.canSignIn} users would have no key left`;
    const outcome = (await send('try')).headers.get('location') ?? '';
    const shown = await adminClient(server.url).get(outcome, { accept: 'text/html' });
    expect(shown.text).toContain(said);
    const { status, text } = await send('invite');
    expect(status).toBe(200);
    expect(text).toContain('No link was made.');
    expect(text).toContain('Nobody can be invited here yet');
    expect(text).toContain('iris');
    expect(text).not.toContain('jonas');
    const issued = "audit WHERE action = 'invitation.issue'";
    expect(await countOf(server, issued)).toBe(0);
    const enrolmentUrl = `https://${domain}/enrol`;
    const change = { enrolmentUrl, origins: [`https://${domain}`] };
    await server.get(TenancyService).changeRelyingParty(server.call, 'acme', domain, change);
    const made = (await send('invite')).text;
    expect(made).toMatch(new RegExp(`${after.withoutKey} links? (?:was|were) made\\.`));
    expect(await countOf(server, issued)).toBe(after.withoutKey);
    for (const name of ['iris', 'jonas']) await admin.manage({ type: 'deluser', filter: name });
  });

  it('counts only users who can sign in today, and reports the others', async () => {
    await enforce(LAX);
    const usersOf = async (policy: RelyingPartyPolicy) => {
      const answer = await admin.post('/userapi/policy/try', { relyingParty: domain, policy });
      return answer.body['users'] as Readonly<Record<'total' | 'canSignIn', number>>;
    };
    const strict = { ...LAX, formats: ['packed'], onFinding: 'disable' } as const;
    const [before, refused] = [await usersOf(LAX), await usersOf(strict)];
    for (const name of ['karl', 'lena']) await newUser({ attestation: 'none' }).register(name);
    await admin.manage({ type: 'disableall', filter: 'karl' });
    const suspension = { username: 'lena', suspended: true, relyingParty: domain };
    expect((await admin.post('/userapi/users/suspension', suspension)).status).toBe(200);
    const after = await usersOf(LAX);
    expect(after).toEqual({ ...before, total: before.total + 2 });
    // A policy that refuses their keys takes nothing from them.
    expect(await usersOf(strict)).toEqual({ ...refused, total: refused.total + 2 });
    const locked = after.total - after.canSignIn;
    expect(await triedOnPage('en')).toMatch(
      new RegExp(`${locked} users? with a key already cannot sign in today`),
    );
    for (const name of ['karl', 'lena']) await admin.manage({ type: 'deluser', filter: name });
  });

  it('reports keys that have never verified their user if every sign-in requires it', async () => {
    await enforce(LAX);
    const required: RelyingPartyPolicy = { ...LAX, userVerification: 'required' };
    const unverified = async (policy: RelyingPartyPolicy) => {
      const answer = await admin.post('/userapi/policy/try', { relyingParty: domain, policy });
      const { keys, users, registrations } = answer.body as Record<string, Record<string, number>>;
      expect(registrations?.['unverified']).toBe(0);
      return [keys?.['unverified'] ?? NaN, users?.['unverified'] ?? NaN] as const;
    };
    const [keys, users] = await unverified(required);
    const nora = newUser({ userVerified: false });
    const paul = newUser({ userVerified: false });
    expect((await nora.register('nora')).status).toBe(200);
    expect((await paul.register('paul')).status).toBe(200);
    expect((await newUser({ userVerified: true }).register('paul')).status).toBe(200);
    expect(await unverified(required)).toEqual([keys + 2, users + 1]);
    for (const mode of ['report', 'off'] as const) {
      const policy = { ...LAX, userVerification: { mode, value: 'required' } } as const;
      expect(await unverified(policy)).toEqual([0, 0]);
    }
    expect(await unverified({ ...LAX, userVerification: 'preferred' })).toEqual([0, 0]);
    const rules = { 'trust.mode': 'off', 'status.mode': 'off' };
    const demanded = { 'userVerification.mode': 'enforce', userVerification: 'required' };
    const page = await shown({ ...rules, ...demanded });
    expect(page).toMatch(
      new RegExp(`${users + 1} of \\d+ users keeps? only keys that have not yet shown`),
    );
    expect(page).not.toContain('keep a key to sign in with');
    expect(page).toContain(`${keys + 2} without user verification so far`);
    const form = { name: 'Trial', origins: `https://${domain}`, ...rules, ...demanded };
    const path = `/tenants/acme/${domain}/invite?users=unverified`;
    const invited = await adminClient(server.url).send(path, {
      method: 'POST',
      headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
    });
    expect(page).toContain('/invite?users=unverified"');
    expect(page).not.toContain('/invite?users=withoutKey"');
    expect(invited.text).toContain('nora');
    expect(invited.text).not.toContain('paul');
    // What the trial warns of: the key of the user is refused.
    await enforce(required);
    expectRefusal(await nora.signIn('nora'), 'E0031R', 401);
    await enforce(LAX);
    for (const name of ['nora', 'paul']) await admin.manage({ type: 'deluser', filter: name });
  });

  it('names each user once among the examples', async () => {
    await enforce(LAX);
    for (const name of ['rosa', 'rosa', 'rosa', 'sven']) {
      const device = { attestation: 'packed', aaguid: aaguidBytes(SOUND), algorithm: -7 } as const;
      await newUser(device).register(name, { attestation: 'direct' });
    }
    const { keys } = await tried({ ...LAX, block: [SOUND] });
    const [{ examples } = { examples: [] }] = keys.rules;
    const names = examples.map((example) => (example as { username: string }).username);
    expect(names).toEqual([...new Set(names)]);
    for (const name of ['rosa', 'sven']) await admin.manage({ type: 'deluser', filter: name });
  });

  it('counts by rule and model with examples and changes nothing', async () => {
    await enforce(LAX);
    await newUser({ attestation: 'packed', aaguid: aaguidBytes(SOUND) }).register('hilda', {
      attestation: 'direct',
    });
    const policy = { trust: 'off', status: { mode: 'off' }, block: [SOUND] };
    const answer = await admin.post('/userapi/policy/try', { relyingParty: domain, policy });
    const { keys } = JSON.parse(answer.text) as Tried;
    expect(keys.rules).toMatchObject([
      {
        rule: 'block',
        outcome: 'refuse',
        errorCode: 'E0037R',
        says: 'This authenticator model is blocked.',
        models: [{ aaguid: SOUND }],
      },
    ]);
    const [{ examples } = { examples: [] }] = keys.rules;
    expect(examples.length).toBeLessThanOrEqual(5);
    expect(examples[0]).toMatchObject({ username: expect.any(String), aaguid: SOUND });
    await evaluateKeys(server);
    expect((await admin.get('/userapi/findings')).body['findings']).toEqual([]);
    await admin.manage({ type: 'deluser', filter: 'hilda' });
  });

  it('does not judge keys without stored proof, except by a rule about the model', async () => {
    await enforce(LAX);
    await newUser({ attestation: 'packed', aaguid: aaguidBytes(SOUND) }).register('olaf', {
      attestation: 'direct',
    });
    const policies = { allow: { ...LAX, allow: [SOUND] }, block: { ...LAX, block: [SOUND] } };
    const before = [(await tried(policies.allow)).keys, (await tried(policies.block)).keys];
    await server.get(Database).commit([
      {
        sql: `UPDATE credentials SET attestation_asked = NULL WHERE user_id IN
          (SELECT id FROM users WHERE username = ?)`,
        params: [Buffer.from('olaf')],
      },
    ]);
    const after = [(await tried(policies.allow)).keys, (await tried(policies.block)).keys];
    const of = (counts: Counted[], name: 'pass' | 'refuse' | 'notJudged') =>
      counts.map((count) => count[name]);
    expect(of(after, 'notJudged').map((n, at) => n - (of(before, 'notJudged')[at] ?? 0))).toEqual([
      1, 0,
    ]);
    expect(of(after, 'pass')[0]).toBe((of(before, 'pass')[0] ?? 0) - 1);
    expect(of(after, 'refuse')[1]).toBe(of(before, 'refuse')[1]);
    await admin.manage({ type: 'deluser', filter: 'olaf' });
  });

  it('judges the minimum PIN length of keys with a stored proof alone', async () => {
    await enforce(LAX);
    const register = async (device: SoftAuthenticatorOptions, minPinLength: boolean) => {
      const asked = { attestation: 'direct', extensions: { minPinLength } };
      expect((await newUser(device).register('otto', asked)).status).toBe(200);
    };
    const policy = { ...LAX, minPinLength: 6 };
    const before = await tried(policy);
    await register({ minPinLength: 6 }, true);
    await register({ minPinLength: 5 }, true);
    await register({ attestation: 'packed', minPinLength: 6 }, false);
    await register({ minPinLength: 6 }, false);
    const after = await tried(policy);
    for (const part of ['keys', 'registrations'] as const) {
      const more = (name: 'pass' | 'refuse' | 'notJudged') =>
        after[part][name] - before[part][name];
      // The last key, of format none and without extensions, has no stored proof.
      expect([more('pass'), more('refuse'), more('notJudged')]).toEqual([1, 2, 1]);
    }
    await admin.manage({ type: 'deluser', filter: 'otto' });
  });

  it('reports how many registrations used another attestation', async () => {
    await enforce(LAX);
    const other = async (policy: RelyingPartyPolicy) =>
      (await tried({ ...LAX, ...policy })).registrations.otherAttestation;
    const direct: RelyingPartyPolicy = { attestation: 'direct' };
    const none: RelyingPartyPolicy = { attestation: 'none' };
    const before = [await other({}), await other(direct), await other(none)];
    await newUser({ attestation: 'none' }).register('ole', { attestation: 'none' });
    await newUser({ attestation: 'packed' }).register('ole', { attestation: 'direct' });
    const after = [await other({}), await other(direct), await other(none)];
    expect(after.map((n, at) => n - (before[at] ?? 0))).toEqual([0, 1, 1]);
    await admin.manage({ type: 'deluser', filter: 'ole' });
  });

  it.each(['en', 'de'] as const)(
    'names rules on the page as the form does, in %s',
    async (language) => {
      const cells = cellsOf(await triedOnPage(language));
      for (const name of ['backupEligible', 'allow', 'formats', 'status', 'certification']) {
        expect(cells).toContain(translate(language, `policy:fields.${name}.label`));
      }
      expect(cells.filter((cell) => cell in MEMBERS)).toEqual([]);
      expect(cells).toContain(translate(language, 'models:unknown'));
      expect(cells.filter((cell) => MODELS.includes(cell))).toEqual([]);
    },
  );

  it('explains a broken rule in German, including its value', async () => {
    const text = await triedOnPage('de');
    expect(text).toMatch(
      /Der Metadatendienst meldet zu diesem Authenticator-Modell: RE\w+\. E0038R/,
    );
    expect(text).not.toContain('lang="en"');
  });

  it.each([
    ['no policy', { relyingParty: domain }],
    ['a member that is none', { relyingParty: domain, policy: { wrong: 1 } }],
    ['a value that is none', { relyingParty: domain, policy: { trust: 'sometimes' } }],
  ])('the trial of a policy refuses %s', async (_, body) => {
    expectRefusal(await admin.post('/userapi/policy/try', body), 'E0045R', 400);
  });

  it('refuses an unknown relying party', async () => {
    const body = { relyingParty: 'nobody.example', policy: {} };
    expectRefusal(await admin.post('/userapi/policy/try', body), 'E0025R', 400);
  });

  /** Sets the policy through the administration, and evaluates all keys. */
  async function enforce(policy: RelyingPartyPolicy): Promise<void> {
    await server.get(TenancyService).changeRelyingParty(server.call, 'acme', domain, { policy });
    await evaluateKeys(server);
  }

  async function tried(policy: RelyingPartyPolicy) {
    const answer = await admin.post('/userapi/policy/try', { relyingParty: domain, policy });
    expect(answer).toMatchObject({ status: 200, body: { status: 'ok', complete: true } });
    const { keys, registrations } = JSON.parse(answer.text) as Tried;
    return { keys, registrations };
  }

  /** The page's text about a policy that many keys break. */
  function triedOnPage(language: string): Promise<string> {
    const rules = {
      backupEligible: 'refused',
      allow: MODELS[0] ?? '',
      formats: 'fido-u2f',
      certification: 'L3',
      status: 'RETIRED: refuse',
    };
    const modes = Object.keys(rules).map((name) => [`${name}.mode`, 'report']);
    return shown({ ...(Object.fromEntries(modes) as Record<string, string>), ...rules }, language);
  }

  /** The result of a trial on the page of the relying party. */
  async function shown(rules: Readonly<Record<string, string>>, language = 'en'): Promise<string> {
    const form = { name: 'Trial', origins: `https://${domain}`, ...rules };
    const client = adminClient(server.url);
    const html = { accept: 'text/html', 'accept-language': language };
    const { headers } = await client.send(`/tenants/acme/${domain}/try`, {
      method: 'POST',
      headers: { ...html, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
    });
    const { status, text } = await client.get(headers.get('location') ?? '', html);
    expect(status).toBe(200);
    return (
      /<section class="card" aria-labelledby="trial-heading".*?<\/section>/s.exec(text)?.[0] ?? ''
    );
  }

  function newUser(device: SoftAuthenticatorOptions, relyingParty = domain) {
    return new FidoClient(server.url, {
      relyingParty,
      authenticator: new SoftAuthenticator(device),
    });
  }
});

function entry(aaguid: string, status: string, keyProtection = 'hardware') {
  return modelEntry(
    aaguid,
    { keyProtection: [keyProtection], matcherProtection: ['on_chip'] },
    {
      statusReports: [
        { ...FIPS, status: 'FIPS140_CERTIFIED_L1', effectiveDate: '2026-01-02' },
        { status, effectiveDate: '2026-01-01', certificationProfiles: ['consumer'] },
      ],
    },
  );
}

/** The texts in the cells of its tables. */
function cellsOf(html: string): string[] {
  return [...html.matchAll(/<t([hd])\b.*?<\/t\1>/gs)].flatMap(([cell]) =>
    cell.split(/<[^>]*>/).flatMap((text) => text.trim() || []),
  );
}

function refusals({ rules }: Counted) {
  return rules
    .filter(({ outcome }) => outcome === 'refuse')
    .map(({ rule, errorCode, count }) => `${rule} ${errorCode} ${count}`)
    .sort();
}

type Counted = Readonly<
  Record<'total' | 'pass' | 'report' | 'refuse' | 'notJudged' | 'otherAttestation', number>
> & {
  readonly rules: readonly {
    rule: string;
    outcome: string;
    errorCode: string;
    count: number;
    examples: readonly object[];
  }[];
};

/** A trial's results for keys and for registrations. */
type Tried = Readonly<Record<'keys' | 'registrations', Counted>>;

const { properties: MEMBERS } = POLICY_SCHEMA as { readonly properties: object };

function metadataBlob() {
  return writeBlob({
    nextUpdate: '2099-01-01',
    entries: [
      entry(REVOKED, 'REVOKED'),
      entry(OLD, 'RETIRED', 'software'),
      entry(SOUND, 'FIDO_CERTIFIED_L2'),
    ],
  });
}
