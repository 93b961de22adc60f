import { FLAGS } from '../../packages/testing/src/structures.js';
import {
  SoftAuthenticator,
  type SoftAuthenticatorOptions,
} from '../../packages/testing/src/soft-authenticator.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

const ok = { status: 200, body: { status: 'ok', errorMessage: '' } };

describe.each(DATABASES)('registrations on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    await server.addRelyingParty('acme', { domain: 'acme.example' });
  });
  afterAll(() => server.stop());

  const clientWith = (device: SoftAuthenticatorOptions = {}) =>
    new FidoClient(server.url, { authenticator: new SoftAuthenticator(device) });

  /** A column of the credential that a client registered. */
  const stored = async (client: FidoClient, column: string) => {
    const sql = `SELECT ${column} AS value FROM credentials WHERE credential_id = ?`;
    const id = client.authenticator.credentials[0]?.id ?? Buffer.of();
    const [row] = await rowsOf<{ value: unknown }>(server, sql, id);
    return row?.value;
  };

  it.each([
    [{ attestation: 'none' }, { format: 'none', type: 'none' }],
    [{ attestation: 'packed-self' }, { format: 'packed', type: 'self' }],
    [{ attestation: 'packed' }, { format: 'packed', type: 'basic' }],
    [{ attestation: 'fido-u2f' }, { format: 'fido-u2f', type: 'basic' }],
  ] as const)(
    'a registration with %j answers with exactly the documented members',
    async (device, attestation) => {
      const client = clientWith(device);
      const username = `anna-${device.attestation}`;
      const { body } = await client.register(username, { attestation: 'direct' });
      const { aaguid, credentials } = client.authenticator;
      expect(body).toEqual({
        status: 'ok',
        errorMessage: '',
        username,
        credentialId: credentials[0]?.id.toString('base64url'),
        aaguid: expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/),
        authenticatorName: null,
        userVerified: true,
        attestation: { ...attestation, trusted: false },
        backupEligible: false,
        backedUp: false,
        signals: {
          rpId: 'localhost',
          userId: credentials[0]?.userHandle,
          allAcceptedCredentialIds: [credentials[0]?.id.toString('base64url')],
          name: username,
          displayName: username,
        },
      });
      expect(String(body['aaguid']).replaceAll('-', '')).toBe(aaguid.toString('hex'));
      expect(await client.signIn(username)).toMatchObject(ok);
    },
  );

  it('accepts an attestation of another format than the requested one, which is only a hint', async () => {
    const asked = { attestation: 'direct', attestationFormats: ['tpm'] };
    expect(await clientWith({ attestation: 'packed' }).register('otto', asked)).toMatchObject(ok);
  });

  it('a registration reports the flags UV, BE and BS of the authenticator data (WebAuthn L3 §7.1 steps 18–19)', async () => {
    const client = clientWith({ userVerified: false, backupEligible: true, backedUp: true });
    expect(await client.register('ben')).toMatchObject({
      body: { userVerified: false, backupEligible: true, backedUp: true },
    });
  });

  it.each([
    ['reserved flags', { flags: (flags: number) => flags | 0x22 }],
    ['an empty extension map', { flags: () => FLAGS.UP | FLAGS.ED, extensions: new Map() }],
    ['extensions that were not requested', { extensions: new Map([['note', 1]]) }],
    [
      'a byte order mark in client data',
      { clientDataJSON: (json: Buffer) => Buffer.from(`\uFEFF${json}`) },
    ],
    [
      'unknown members in client data',
      { clientData: { other: { a: [1] }, hashAlgorithm: 'SHA-256' } },
    ],
    [
      'white space in client data',
      { clientDataJSON: (json: Buffer) => Buffer.from(`${json}`.replaceAll(',', ' ,\n')) },
    ],
  ])('accepts a registration with %s', async (_, tweaks) => {
    const client = clientWith();
    const begun = await client.beginRegistration('carl');
    expect(await client.completeRegistration(client.create(begun, tweaks))).toMatchObject(ok);
  });

  it('accepts two credential IDs of 1023 bytes that differ only in the last byte', async () => {
    const shared = Buffer.alloc(1022, 7);
    for (const last of [1, 2]) {
      const client = clientWith();
      const id = Buffer.concat([shared, Buffer.of(last)]);
      const begun = await client.beginRegistration(`dana-${last}`);
      const made = client.create(begun, { attestedCredentialId: id });
      const text = id.toString('base64url');
      const body = { ...made, id: text, rawId: text };
      expect(await client.completeRegistration(body)).toMatchObject(ok);
    }
  });

  it('a registration adds the key to the user of the begin call, whatever the result call names (WebAuthn L3 §7.1 step 29)', async () => {
    const client = clientWith();
    const made = client.create(await client.beginRegistration('emma'));
    const body = { ...made, username: 'victim', userid: 'victim', challenge: 'AAAA' };
    expect(await client.completeRegistration(body)).toMatchObject({ body: { username: 'emma' } });
    expect(await client.beginAuthentication('victim')).toMatchObject({ status: 403 });
  });

  it('one credential ID can be registered at two relying parties as two keys', async () => {
    const here = clientWith();
    await here.register('finn');
    const id = here.authenticator.credentials[0]?.id ?? Buffer.of();
    const text = id.toString('base64url');
    const there = new FidoClient(server.url, {
      relyingParty: 'acme.example',
    });
    const made = there.create(await there.beginRegistration('finn'), { attestedCredentialId: id });
    expect(await there.completeRegistration({ ...made, id: text, rawId: text })).toMatchObject(ok);
    expect(await here.signIn('finn')).toMatchObject(ok);
  });

  it('refuses the second of two registrations that both began for a new user (E0024R)', async () => {
    const first = clientWith();
    const second = clientWith();
    const begun = [await first.beginRegistration('gina'), await second.beginRegistration('gina')];
    const [one, two] = begun;
    if (!one || !two) throw new Error('nothing begun');
    expect(await first.completeRegistration(first.create(one))).toMatchObject(ok);
    const before = await server.snapshot();
    expectRefusal(await second.completeRegistration(second.create(two)), 'E0024R');
    expect(await server.snapshot()).toBe(before);
  });

  it.each([
    ['keypair.name', { name: 'Blue key', deviceName: 'other' }, 'Blue key'],
    ['keypair.deviceName', { deviceName: 'Red key' }, 'Red key'],
    ['a text that contains an object', '{"name":"Text key"}', 'Text key'],
    ['the default for an invalid name', { name: 'a\u202eb' }, 'Security key'],
    ['the default without keypair', undefined, 'Security key'],
  ])('a registration takes the device name from %s', async (title, keypair, expected) => {
    const clients = [clientWith(), clientWith()];
    for (const client of clients) await client.register(`device ${title}`, { keypair });
    const names = await Promise.all(clients.map((client) => stored(client, 'device_name')));
    expect(names).toEqual([expected, `${expected} (2)`]);
  });

  it('a registration stores keypair unchanged', async () => {
    const client = clientWith();
    const keypair = {
      html: '<script>',
      formula: '=1+1',
      toString: 1,
      deep: [[[{}]]],
      half: '\ud800',
    };
    await client.register('hugo', { keypair });
    expect(JSON.parse(String(await stored(client, 'keypair')))).toEqual(keypair);
  });

  it('a registration stores unknown transports too, each once, and the options offer them (WebAuthn L3 §7.1 step 27)', async () => {
    const longest = Array.from({ length: 13 }, (_, n) => `${n},`.padStart(32, '~'));
    const transports = ['usb', '<b>', 'usb', 'cable', ...longest, 'one too many'];
    const client = clientWith({ transports });
    expect((await client.register('ines')).status).toBe(200);
    const offered = ['usb', '<b>', 'cable', ...longest];
    const { body } = await client.beginAuthentication('ines');
    expect(body).toMatchObject({ allowCredentials: [{ transports: offered }] });
    expect((await client.beginRegistration('ines')).body).toMatchObject({
      excludeCredentials: [{ transports: offered }],
    });
  });

  describe('a usual mistake of encoding has its own reason', () => {
    const padded = (text: string) => `${text}=`;
    const plain = (text: string) => `+/${text.slice(2)}`;

    it.each([
      ['E0006R', 'id', padded],
      ['E0007R', 'attestationObject', padded],
      ['E0008R', 'clientDataJSON', plain],
    ])('%s names the field %s', async (code, field, spoil) => {
      const client = clientWith();
      const created = client.create(await client.beginRegistration('jana'));
      const text = field === 'id' ? created.id : String(Reflect.get(created.response, field));
      const value = spoil(text.slice(0, Math.floor(text.length / 4) * 4));
      const body =
        field === 'id'
          ? { ...created, id: value, rawId: value }
          : { ...created, response: { ...created.response, [field]: value } };
      const { body: answer } = await client.completeRegistration(body);
      const reason = spoil === padded ? 'base64url.padded' : 'base64url.plain';
      expect(answer).toMatchObject({ errorCode: code, reason });
      expect(answer.errorMessage).toContain(`"${field}"`);
    });

    it('E0028R says that the challenge was encoded twice, and the ceremony stays pending', async () => {
      const client = clientWith();
      const begun = await client.beginRegistration('jana');
      const twice = Buffer.from(String(begun.body['challenge'])).toString('base64url');
      const wrong = client.create(begun, { clientData: { challenge: twice } });
      expect((await client.completeRegistration(wrong)).body).toMatchObject({
        errorCode: 'E0028R',
        reason: 'challenge.encodedTwice',
      });
      expect((await client.completeRegistration(client.create(begun))).status).toBe(200);
    });

    it('E0008R names a challenge with padding', async () => {
      const client = clientWith();
      const begun = await client.beginRegistration('jana');
      const clientData = { challenge: `${String(begun.body['challenge']).slice(0, 42)}A=` };
      const { body } = await client.completeRegistration(client.create(begun, { clientData }));
      expect(body).toMatchObject({ errorCode: 'E0008R', reason: 'base64url.padded' });
    });
  });

  it('an authenticatorAttachment that the server does not know counts as none', async () => {
    const client = clientWith();
    const begun = await client.beginRegistration('iris');
    const created = { ...client.create(begun), authenticatorAttachment: 'wearable' };
    expect((await client.completeRegistration(created)).status).toBe(200);
    const assertion = client.assert(await client.beginAuthentication('iris'));
    const answer = await client.completeAuthentication({
      ...assertion,
      authenticatorAttachment: 'wearable',
    });
    expect(answer.status).toBe(200);
  });

  describe('credProtect', () => {
    const registerWith = async (username: string, level: number, reported?: number) => {
      const client = clientWith();
      const begun = await client.beginRegistration(username, {
        extensions: { credProtect: level },
      });
      const extensions =
        reported === undefined ? {} : { extensions: new Map([['credProtect', reported]]) };
      return client.completeRegistration(client.create(begun, extensions));
    };

    it.each([
      [3, 3],
      [2, undefined],
      [2, 1],
      [0, undefined],
    ])(
      'accepts credProtect level %s that the authenticator reports as %s',
      async (level, reported) => {
        expect(await registerWith('jana', level, reported)).toMatchObject(ok);
      },
    );

    it.each([undefined, 0, 1, 2, 4])(
      'refuses credProtect level 3 that the authenticator reports as %s (E0007R, WebAuthn L3 §7.1 step 28)',
      async (reported) => {
        const before = await server.snapshot();
        expectRefusal(await registerWith('kim', 3, reported), 'E0007R');
        expect(await server.snapshot()).toBe(before);
      },
    );

    it('refuses a registration with credProtect level 2 and no user verification (E0031R)', async () => {
      const client = clientWith({ userVerified: false });
      const begun = await client.beginRegistration('lou', { extensions: { credProtect: 2 } });
      expectRefusal(await client.completeRegistration(client.create(begun)), 'E0031R');
    });
  });

  it('refuses a user’s 101st key (E0043R)', async () => {
    const client = clientWith();
    for (let n = 0; n < 100; n += 1) {
      const user = clientWith();
      expect(await user.register('mia')).toMatchObject(ok);
    }
    expectRefusal(await client.beginRegistration('mia'), 'E0043R');
  });
});

describe('registrations with --attestation off', () => {
  it('the server with --attestation off ignores the attestation statement', async () => {
    const server = await TestServer.start({ options: { attestation: false } });
    const client = new FidoClient(server.url);
    const begun = await client.beginRegistration('nora');
    const answer = await client.completeRegistration(client.create(begun, { fmt: 'unknown' }));
    expect(answer).toMatchObject({
      ...ok,
      body: { attestation: { format: 'unknown', type: 'none', trusted: false } },
    });
    await server.stop();
  });
});
