import type { RuleMode } from '../../src/tenancy/policy/policy-value-types.js';
import type { RelyingPartyPolicy } from '../../src/tenancy/policy/policy.js';
import { type SoftAuthenticatorOptions } from '../../packages/testing/src/soft-authenticator.js';
import {
  aaguidExtension,
  basicConstraints,
} from '../../packages/testing/src/certificate-writer.js';
import { octetString } from '../../packages/testing/src/der-writer.js';
import { attestationRoot, createAttester } from '../../packages/testing/src/attester.js';
import { ALG } from '../../packages/testing/src/key-pair.js';
import { adminClient, type Answer } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { pemOf } from '../../packages/testing/src/pem.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { rowsOf } from '../support/rows.js';
import { policyPlace } from '../support/policy-place.js';
import { TestServer } from '../support/test-server.js';
import { linesOf } from '../support/transfer.js';

const MODEL = Buffer.from('a11ce0000000400080000000000000fd', 'hex');
const MODEL_TEXT = 'a11ce000-0000-4000-8000-0000000000fd';
const OTHER_TEXT = '0b000000-0000-4000-8000-0000000000fd';

const anchors = [pemOf(attestationRoot().certificate)];
const genuine = createAttester(MODEL);
/** The root among its certificates. */
const rooted = { ...genuine, x5c: [...genuine.x5c, attestationRoot().certificate] };
const packed: SoftAuthenticatorOptions = { attestation: 'packed', aaguid: MODEL };

describe.each(DATABASES)('policies on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on });
  });
  afterAll(() => server.stop());

  describe.each(brokenRules())('$title', ({ rule, code, policy, device, results, before = 0 }) => {
    it(`enforced: ${code}, and nothing is stored`, async () => {
      const client = await prepared('enforce');
      const rows = await rowsOf(server, 'SELECT id FROM credentials');
      expectRefusal(await register(client, results), code);
      expect(await rowsOf(server, 'SELECT id FROM credentials')).toHaveLength(rows.length);
    });

    it('registers a key with an event if the rule is reported', async () => {
      const client = await prepared('report');
      const events = await policyEvents();
      expect(await register(client, results)).toMatchObject({ status: 200 });
      expect((await policyEvents()).slice(events.length)).toEqual([{ detail: rule, code }]);
    });

    it('registers a key without an event if the rule is off', async () => {
      const client = await prepared('off');
      const events = await policyEvents();
      expect(await register(client, results)).toMatchObject({ status: 200 });
      expect(await policyEvents()).toHaveLength(events.length);
    });

    async function prepared(mode: RuleMode) {
      const { newUser } = await policyPlace(server, policy(mode));
      for (let n = 0; n < before; n += 1) expect((await register(newUser())).status).toBe(200);
      return newUser(device);
    }
  });

  it('state the key’s trust in the answer, the database and the token (§7.1 step 24)', async () => {
    const { newUser } = await policyPlace(server, { trust: 'enforce', anchors });
    const client = newUser(packed);
    expect(await client.register('frank')).toMatchObject({
      status: 200,
      body: { attestation: { format: 'packed', type: 'basic', trusted: true } },
    });
    const id = client.authenticator.credentials[0]?.id ?? Buffer.of();
    const sql = 'SELECT attestation_trusted AS trusted FROM credentials WHERE credential_id = ?';
    expect((await rowsOf<{ trusted: number }>(server, sql, id)).map((row) => +row.trusted)).toEqual(
      [1],
    );
    const { body } = await client.signIn('frank');
    const claims = String(body['token']).split('.')[1] ?? '';
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ acr: 'phrh' });
  });

  it('register a key that meets every rule, without an event', async () => {
    const { newUser } = await policyPlace(server, {
      trust: 'enforce',
      anchors,
      formats: ['packed'],
      algorithms: ['es256'],
      allow: [MODEL_TEXT],
      block: [OTHER_TEXT],
      backupEligible: 'refused',
      userVerification: 'required',
      residentKey: 'required',
      minPinLength: 8,
      maxCredentials: 1,
    });
    const events = await policyEvents();
    const device = { ...packed, minPinLength: 8 };
    const answer = await register(newUser(device), { credProps: { rk: true } });
    expect(answer).toMatchObject({ status: 200 });
    expect(await policyEvents()).toHaveLength(events.length);
  });

  it('add an event for each reported rule', async () => {
    const { newUser } = await policyPlace(server, {
      trust: 'report',
      formats: { mode: 'report', list: ['packed'] },
      allow: { mode: 'report', list: [MODEL_TEXT] },
    });
    const events = await policyEvents();
    expect((await register(newUser())).status).toBe(200);
    const rules = (await policyEvents()).slice(events.length).map(({ detail }) => detail);
    expect(rules.sort()).toEqual(['allow', 'formats', 'trust']);
  });

  it('accept an allowed model without proof if aaguid is reported', async () => {
    const { newUser } = await policyPlace(server, { aaguid: 'reported', allow: [MODEL_TEXT] });
    expect((await register(newUser({ aaguid: MODEL }))).status).toBe(200);
    expectRefusal(await register(newUser()), 'E0037R');
  });

  it('enforce at the result call a rule that was tightened after the begin call', async () => {
    const { tenant, domain, newUser } = await policyPlace(server, {});
    const client = newUser({ backupEligible: true });
    const begun = await client.beginRegistration('gina');
    const admin = adminClient(server.url);
    const path = `/tenantapi/tenants/${tenant}/relying-parties/${domain}`;
    const changed = await admin.patch(path, {
      policy: { backupEligible: 'refused', maxCredentials: 3 },
    });
    expect(changed).toMatchObject({
      status: 200,
      body: { policy: { backupEligible: 'refused', maxCredentials: 3 } },
    });
    expectRefusal(await client.completeRegistration(client.create(begun)), 'E0031R');
  });

  it('enforce maxCredentials when several registrations end at once', async () => {
    const { newUser } = await policyPlace(server, { maxCredentials: 2 });
    expect((await register(newUser())).status).toBe(200);
    const clients = Array.from({ length: 4 }, () => newUser());
    const begun = await Promise.all(clients.map((client) => client.beginRegistration('erin')));
    const answers = await Promise.all(
      clients.map((client, n) => client.completeRegistration(client.create(begun[n] as Answer))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403]);
  });

  it('policies are refused if they are malformed (E0045R)', async () => {
    const answer = await adminClient(server.url).post('/tenantapi/tenants/acme/relying-parties', {
      domain: 'wrong.example',
      policy: { trust: 'sometimes' },
    });
    expect(answer).toMatchObject({ status: 400, body: { errorCode: 'E0045R' } });
  });

  it('list and export the serial number of a trusted enterprise attestation (§8.2.2)', async () => {
    const serial = {
      id: '1.3.6.1.4.1.45724.1.1.2',
      value: octetString(Buffer.from('c0ffee', 'hex')),
    };
    const extensions = [basicConstraints(false), aaguidExtension(MODEL), serial];
    const attester = createAttester(MODEL, { extensions });
    const registered = async (policy: RelyingPartyPolicy) => {
      const place = await policyPlace(server, { attestation: 'enterprise', ...policy });
      const { domain, admin } = place;
      const client = place.newUser({ ...packed, attester });
      expect(await client.register('ines')).toMatchObject({ status: 200 });
      const [ines] = await admin.list('ines');
      const query = new URLSearchParams({ name: 'ines', rp: domain }).toString();
      const page = await adminClient(server.url).get(`/userapi/user?${query}`, {
        accept: 'text/html',
      });
      const file = linesOf(await admin.get('/userapi/export'));
      return { keys: ines?.credentials, page: page.text, file };
    };
    const trusted = await registered({ anchors });
    expect(trusted.keys).toMatchObject([{ serialNumber: 'c0ffee' }]);
    expect(trusted.page).toContain('<dt>Serial number</dt><dd><code>c0ffee</code></dd>');
    const attestation = { trusted: true, serialNumber: 'c0ffee' };
    expect(trusted.file).toMatchObject([{}, { keys: [{ attestation }] }, {}]);
    const unknown = await registered({});
    expect(unknown.keys).toMatchObject([{ deviceName: expect.any(String) as string }]);
    expect(JSON.stringify(unknown)).not.toMatch(/serial ?number/i);
  });

  describe('the begin call under a policy', () => {
    const optionsOf = async (policy: RelyingPartyPolicy, asked: object = {}) => {
      const { newUser } = await policyPlace(server, policy);
      return (await newUser().beginRegistration('hugo', asked)).body;
    };

    it.each([
      [{}, undefined, 'none'],
      [{ attestation: 'enterprise' }, 'none', 'enterprise'],
      [{ attestation: 'indirect' }, 'direct', 'indirect'],
      [{ trust: 'report' }, 'none', 'direct'],
      [{ formats: ['packed'] }, undefined, 'direct'],
      [{ keyProtection: ['tee'] }, undefined, 'direct'],
      [{ allow: [MODEL_TEXT] }, 'indirect', 'direct'],
      [{ block: { mode: 'off', list: [MODEL_TEXT] } }, undefined, 'none'],
      [{ attestation: 'none', trust: 'enforce' }, undefined, 'direct'],
    ] as [RelyingPartyPolicy, string | undefined, string][])(
      'turns %j and requested %s into %s attestation',
      async (policy, attestation, expected) => {
        const asked = attestation === undefined ? {} : { attestation };
        expect(await optionsOf(policy, asked)).toMatchObject({ attestation: expected });
      },
    );

    it.each([
      [{ residentKey: 'required' }, 'discouraged', 'required', true],
      [{ residentKey: 'discouraged' }, 'required', 'discouraged', false],
      [{ residentKey: { mode: 'report', value: 'required' } }, 'discouraged', 'discouraged', false],
    ] as [RelyingPartyPolicy, string, string, boolean][])(
      'turns %j and a requested %s key into %s',
      async (policy, discoverable_credential, residentKey, requireResidentKey) => {
        expect(await optionsOf(policy, { discoverable_credential })).toMatchObject({
          authenticatorSelection: { residentKey, requireResidentKey },
        });
      },
    );

    it.each([
      [{}, {}, undefined],
      [{}, { extensions: { minPinLength: true } }, true],
      [{ minPinLength: 6 }, {}, true],
      [
        { minPinLength: { mode: 'report', value: 6 } },
        { extensions: { minPinLength: false } },
        true,
      ],
      [{ minPinLength: { mode: 'off', value: 6 } }, {}, undefined],
    ] as [RelyingPartyPolicy, object, boolean | undefined][])(
      'turns %j and %j into the extension minPinLength: %s',
      async (policy, asked, minPinLength) => {
        const { extensions } = await optionsOf(policy, asked);
        expect(extensions).toEqual({ credProps: true, ...(minPinLength && { minPinLength }) });
      },
    );

    it('offers the algorithms that both policy and caller allow, or all of the policy', async () => {
      const policy = { algorithms: ['rs256', 'es256'] };
      const algorithmsOf = (body: Answer['body']) =>
        (body['pubKeyCredParams'] as { alg: number }[]).map(({ alg }) => alg);
      expect(algorithmsOf(await optionsOf(policy))).toEqual([-257, -7]);
      expect(algorithmsOf(await optionsOf(policy, { algorithms: ['eddsa', 'es256'] }))).toEqual([
        -7,
      ]);
      const { newUser } = await policyPlace(server, policy);
      expectRefusal(await newUser().beginRegistration('hugo', { algorithms: ['eddsa'] }), 'E0039R');
    });
  });

  async function register(client: FidoClient, results?: Record<string, unknown>): Promise<Answer> {
    const begun = await client.beginRegistration('erin');
    if (begun.status !== 200) return begun;
    const body = client.create(begun);
    return client.completeRegistration(
      results ? { ...body, clientExtensionResults: results } : body,
    );
  }

  function policyEvents() {
    return rowsOf<{ detail: string; code: string }>(
      server,
      "SELECT detail, code FROM events WHERE kind = 'policy' ORDER BY id",
    );
  }
});

/** For each rule, a registration that breaks only this rule. */
function brokenRules(): readonly Case[] {
  return [
    {
      title: 'trust, of an authenticator that does not attest',
      rule: 'trust',
      code: 'E0038R',
      policy: (mode) => ({ trust: mode, anchors }),
      device: { attestation: 'none' },
    },
    {
      title: 'trust, of one that attests for itself',
      rule: 'trust',
      code: 'E0038R',
      policy: (mode) => ({ trust: { mode }, anchors }),
      device: { attestation: 'packed-self' },
    },
    {
      title: 'trust, where there is no anchor',
      rule: 'trust',
      code: 'E0038R',
      policy: (mode) => ({ trust: { mode } }),
      device: packed,
    },
    {
      title: 'trust, of a path that holds the root',
      rule: 'trust',
      code: 'E1008R',
      policy: (mode) => ({ trust: { mode }, anchors }),
      device: { ...packed, attester: rooted },
    },
    {
      title: 'formats',
      rule: 'formats',
      code: 'E0038R',
      policy: (mode) => ({ formats: { mode, list: ['tpm', 'packed'] } }),
      device: { attestation: 'fido-u2f' },
    },
    {
      title: 'attestationTypes',
      rule: 'attestationTypes',
      code: 'E0038R',
      policy: (mode) => ({ attestationTypes: { mode, list: ['attca', 'self'] }, anchors }),
      device: packed,
    },
    {
      title: 'certification, of a model that no metadata knows',
      rule: 'certification',
      code: 'E0038R',
      policy: (mode) => ({ certification: { mode, value: 'L1' }, anchors }),
      device: packed,
    },
    {
      title: 'algorithms',
      rule: 'algorithms',
      code: 'E0039R',
      policy: (mode) => ({ algorithms: { mode, list: ['rs256', 'eddsa'] } }),
      device: { algorithm: ALG.ES256 },
    },
    {
      title: 'allow',
      rule: 'allow',
      code: 'E0037R',
      policy: (mode) => ({ allow: { mode, list: [OTHER_TEXT] } }),
      device: packed,
    },
    {
      title: 'allow, of a model that nothing proves',
      rule: 'allow',
      code: 'E0037R',
      policy: (mode) => ({ allow: { mode, list: [MODEL_TEXT] } }),
      device: { attestation: 'packed-self', aaguid: MODEL },
    },
    {
      title: 'allow, of a model proved by certificates that lead elsewhere',
      rule: 'allow',
      code: 'E0037R',
      policy: (mode) => ({
        allow: { mode, list: [MODEL_TEXT] },
        anchors: [pemOf(createAttester(MODEL).x5c[0] ?? Buffer.of())],
      }),
      device: packed,
    },
    {
      title: 'block',
      rule: 'block',
      code: 'E0037R',
      policy: (mode) => ({ block: { mode, list: [MODEL_TEXT.toUpperCase()] } }),
      device: packed,
    },
    {
      title: 'backupEligible',
      rule: 'backupEligible',
      code: 'E0031R',
      policy: (mode) => ({ backupEligible: { mode, value: 'refused' } }),
      device: { backupEligible: true },
    },
    {
      title: 'userVerification',
      rule: 'userVerification',
      code: 'E0031R',
      policy: (mode) => ({ userVerification: { mode, value: 'required' } }),
      device: { userVerified: false },
    },
    {
      title: 'residentKey',
      rule: 'residentKey',
      code: 'E0007R',
      policy: (mode) => ({ residentKey: { mode, value: 'required' } }),
      device: {},
      results: { credProps: { rk: false } },
    },
    {
      title: 'minPinLength, of an authenticator with a shorter one',
      rule: 'minPinLength',
      code: 'E0038R',
      policy: (mode) => ({ minPinLength: { mode, value: 8 } }),
      device: { minPinLength: 7 },
    },
    {
      title: 'minPinLength, of an authenticator that reports none',
      rule: 'minPinLength',
      code: 'E0038R',
      policy: (mode) => ({ minPinLength: { mode, value: 4 } }),
      device: packed,
    },
    {
      title: 'maxCredentials',
      rule: 'maxCredentials',
      code: 'E0043R',
      policy: (mode) => ({ maxCredentials: { mode, value: 1 } }),
      device: {},
      before: 1,
    },
    {
      title: 'registration',
      rule: 'registration',
      code: 'E0043R',
      policy: (mode) => ({ registration: { mode, value: 'ticket' } }),
      device: {},
    },
  ];
}

interface Case {
  readonly title: string;
  readonly rule: string;
  readonly code: string;
  readonly policy: (mode: RuleMode) => RelyingPartyPolicy;
  readonly device: SoftAuthenticatorOptions;
  /** Further members of the browser's response. */
  readonly results?: Record<string, unknown>;
  /** How many credentials the user has before. */
  readonly before?: number;
}
