import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { FidoClient } from '../support/fido-client.js';
import { disableCredentials } from '../support/refusals/disable.js';
import { TestServer } from '../support/test-server.js';

const CHALLENGE = expect.stringMatching(/^[\w-]{43}$/);
const USER_HANDLE = expect.stringMatching(/^[\w-]{43}$/);

describe('the begin call of a registration', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  const clientOf = (relyingParty = 'localhost') => new FidoClient(server.url, { relyingParty });

  /** The options of a begin call that succeeds. */
  async function creationOptions(more: object = {}, client = clientOf()) {
    const { status, body } = await client.beginRegistration('alice', more);
    expect(status).toBe(200);
    return body;
  }

  describe('attestation/options: PublicKeyCredentialCreationOptionsJSON (WebAuthn L3 §5.1.9)', () => {
    it('the options of a registration have exactly the documented members by default', async () => {
      expect(await creationOptions()).toEqual({
        status: 'ok',
        errorMessage: '',
        rp: { id: 'localhost', name: expect.any(String) },
        user: { id: USER_HANDLE, name: 'alice', displayName: 'alice' },
        challenge: CHALLENGE,
        pubKeyCredParams: [-7, -8, -257].map((alg) => ({ type: 'public-key', alg })),
        timeout: 60_000,
        excludeCredentials: [],
        authenticatorSelection: {
          residentKey: 'preferred',
          requireResidentKey: false,
          userVerification: 'preferred',
        },
        attestation: 'none',
        extensions: { credProps: true },
      });
    });

    it.each([
      [{ userVerification: 'required' }, { userVerification: 'required' }],
      [{ userVerification: 'discouraged' }, { userVerification: 'discouraged' }],
      [{ attachment: 'platform' }, { authenticatorAttachment: 'platform' }],
      [{ attachment: 'cross-platform' }, { authenticatorAttachment: 'cross-platform' }],
      [{ attachment: 'all' }, {}],
      [
        { discoverable_credential: 'required' },
        { residentKey: 'required', requireResidentKey: true },
      ],
      [{ discoverable_credential: 'preferred' }, {}],
      [{ discoverable_credential: 'discouraged' }, { residentKey: 'discouraged' }],
      [{ authenticatorAttachment: 'platform' }, { authenticatorAttachment: 'platform' }],
      [
        { authenticatorAttachment: 'cross-platform', attachment: 'platform' },
        { authenticatorAttachment: 'cross-platform' },
      ],
      [
        {
          authenticatorAttachment: 'platform',
          authenticatorSelection: { authenticatorAttachment: 'all' },
        },
        {},
      ],
      [{ residentKey: 'required' }, { residentKey: 'required', requireResidentKey: true }],
      [
        { residentKey: 'discouraged', discoverable_credential: 'required' },
        { residentKey: 'discouraged' },
      ],
      [
        { residentKey: 'required', authenticatorSelection: { residentKey: 'discouraged' } },
        { residentKey: 'discouraged' },
      ],
      [{ requireResidentKey: true }, { requireResidentKey: true }],
      [{ authenticatorSelection: {} }, {}],
      [{ authenticatorSelection: { note: 1 } }, {}],
      [{ authenticatorSelection: { requireResidentKey: false } }, {}],
      [{ authenticatorSelection: { requireResidentKey: true } }, { requireResidentKey: true }],
      [
        { authenticatorSelection: { requireResidentKey: true, residentKey: 'discouraged' } },
        { residentKey: 'discouraged' },
      ],
      [
        { authenticatorSelection: { residentKey: 'required' } },
        { residentKey: 'required', requireResidentKey: true },
      ],
      [
        { authenticatorSelection: { authenticatorAttachment: 'platform' } },
        { authenticatorAttachment: 'platform' },
      ],
      [{ authenticatorSelection: { authenticatorAttachment: 'all' } }, {}],
      [
        {
          userVerification: 'discouraged',
          authenticatorSelection: { userVerification: 'required' },
        },
        { userVerification: 'required' },
      ],
    ])('derives authenticatorSelection from a begin call with %j', async (asked, expected) => {
      expect((await creationOptions(asked))['authenticatorSelection']).toEqual({
        residentKey: 'preferred',
        requireResidentKey: false,
        userVerification: 'preferred',
        ...expected,
      });
    });

    it.each(['none', 'direct', 'indirect'])(
      'returns the requested attestation "%s" in the options',
      async (attestation) => {
        expect(await creationOptions({ attestation })).toMatchObject({ attestation });
      },
    );

    it.each([
      [['es256'], [-7]],
      [
        ['ES256', 'EdDSA'],
        [-7, -8],
      ],
      [
        [-257, 'es512'],
        [-257, -36],
      ],
      [
        ['rs256', 'RS256', -257, 'es256'],
        [-257, -7],
      ],
      [
        ['es384', 'rs384', 'rs512'],
        [-35, -258, -259],
      ],
      [
        ['ps256', 'ps384', 'ps512'],
        [-37, -38, -39],
      ],
      [Array.from({ length: 20 }, () => 'es256'), [-7]],
    ])('offers the requested algorithms %j as the COSE numbers %j', async (algorithms, numbers) => {
      const { pubKeyCredParams } = await creationOptions({ algorithms });
      expect(pubKeyCredParams).toEqual(numbers.map((alg) => ({ type: 'public-key', alg })));
    });

    it.each([
      [{}, {}],
      [
        { minPinLength: true, note: { deep: [1] } },
        { minPinLength: true, note: { deep: [1] } },
      ],
      [{ credProps: false }, {}],
      [{ credProtect: 0 }, { credentialProtectionPolicy: 'userVerificationOptional' }],
      [
        { credProtect: 1 },
        { credentialProtectionPolicy: 'userVerificationOptionalWithCredentialIDList' },
      ],
      [{ credProtect: 2 }, { credentialProtectionPolicy: 'userVerificationRequired' }],
      [
        { credProtect: 3 },
        {
          credentialProtectionPolicy: 'userVerificationRequired',
          enforceCredentialProtectionPolicy: true,
        },
      ],
    ])('returns the requested extensions %j as %j, with credProps', async (extensions, inputs) => {
      expect((await creationOptions({ extensions }))['extensions']).toEqual({
        ...inputs,
        credProps: true,
      });
    });

    it.each([
      [0, 'discouraged'],
      [1, 'discouraged'],
      [2, 'required'],
      [3, 'required'],
    ])(
      'turns user verification "discouraged" with credProtect %i into %s',
      async (credProtect, expected) => {
        const asked = { extensions: { credProtect }, userVerification: 'discouraged' };
        expect((await creationOptions(asked))['authenticatorSelection']).toMatchObject({
          userVerification: expected,
        });
      },
    );

    it('refuses extensions nested too deeply for JSON (E0001R)', async () => {
      const client = clientOf();
      const inside = `${'['.repeat(28_000)}${']'.repeat(28_000)}`;
      const body = `{"username":"alice","displayName":"x","extensions":{"x":${inside}}}`;
      const answer = await client.post(client.paths.beginRegistration, body);
      expect(answer).toMatchObject({ status: 400, body: { errorCode: 'E0001R' } });
    });

    it('a begin call of a registration warns of unknown fields and succeeds', async () => {
      const asked = { resident_key: 'required', challenge: 'x', hints: ['hybrid'] };
      const { warnings } = await creationOptions(asked);
      expect(warnings).toEqual([
        '"resident_key" is no field of this call, and was ignored. Did you mean "residentKey"?',
        '"challenge" is no field of this call, and was ignored.',
      ]);
    });

    it('warns of unknown members of authenticatorSelection, whose options do without them', async () => {
      const selection = { residentkey: 'required', userVerification: 'required', newInLevel4: 1 };
      const options = await creationOptions({ authenticatorSelection: selection });
      expect(options).toMatchObject({
        authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
        warnings: [
          '"authenticatorSelection.residentkey" is no field of this call, and was ignored. ' +
            'Did you mean "authenticatorSelection.residentKey"?',
          '"authenticatorSelection.newInLevel4" is no field of this call, and was ignored.',
        ],
      });
    });

    it('a begin call warns of at most ten unknown fields and shortens their names', async () => {
      const many = Object.fromEntries(
        Array.from({ length: 999 }, (_, n) => [`${n}`.repeat(20), n]),
      );
      const { warnings } = await creationOptions(many);
      expect(warnings).toHaveLength(11);
      expect((warnings as string[]).at(-1)).toBe('989 more fields were ignored.');
      const [long] = (await creationOptions({ ['x'.repeat(60_000)]: 1 }))['warnings'] as string[];
      expect(long?.length).toBeLessThan(200);
    });

    it('returns the requested hints of a registration', async () => {
      const hints = ['security-key', 'hybrid'];
      expect(await creationOptions({ hints })).toMatchObject({ hints });
    });

    it('excludeCredentials lists all keys of the user with their transports, including disabled ones', async () => {
      const [first, second] = [
        ['usb', 'nfc'],
        ['internal', 'made-up'],
      ].map(
        (transports) =>
          new FidoClient(server.url, { authenticator: new SoftAuthenticator({ transports }) }),
      );
      await first?.register('twice');
      await second?.register('twice');
      await disableCredentials(server, first?.authenticator ?? new SoftAuthenticator());
      const { body } = await clientOf().beginRegistration('twice');
      expect(body['excludeCredentials']).toEqual([
        { type: 'public-key', id: first?.keyId, transports: ['usb', 'nfc'] },
        { type: 'public-key', id: second?.keyId, transports: ['internal', 'made-up'] },
      ]);
    });

    it('user.id is constant for a registered user, and new at each call for an unknown user', async () => {
      const client = clientOf();
      const idOf = async () => (await client.beginRegistration('ida')).body['user'];
      expect(await idOf()).not.toEqual(await idOf());
      await client.register('ida');
      expect(await idOf()).toEqual(await idOf());
    });

    it('a begin call of a registration writes nothing to the database', async () => {
      const before = await server.snapshot();
      await creationOptions({ keypair: { name: 'Blue key' } });
      expect(await server.snapshot()).toBe(before);
    });

    it('accepts 520 members of device metadata and 20 levels of extensions in a begin call', async () => {
      const keypair = Object.fromEntries(Array.from({ length: 520 }, (_, n) => [n, 0]));
      const example = JSON.parse(`${'['.repeat(20)}${']'.repeat(20)}`) as unknown;
      const { extensions } = await creationOptions({ keypair, extensions: { example } });
      expect(extensions).toEqual({ example, credProps: true });
    });

    it('fifty begin calls return fifty different challenges', async () => {
      const answers = await Promise.all(Array.from({ length: 50 }, () => creationOptions()));
      expect(new Set(answers.map(({ challenge }) => challenge)).size).toBe(50);
    });

    it('returns the user name and display name in NFC', async () => {
      const { body } = await clientOf().beginRegistration('Zoe\u0308', {
        displayName: 'Zoe\u0308',
      });
      expect(body['user']).toMatchObject({ name: 'Zo\u00eb', displayName: 'Zo\u00eb' });
    });

    it.each([
      ['two user names', '{"username":"a","username":"alice","displayName":"x"}'],
      ['unknown members', '{"username":"alice","displayName":"x","admin":true,"tenant":"b"}'],
      [
        'a member __proto__',
        '{"username":"alice","displayName":"x","__proto__":{"polluted":true}}',
      ],
    ])('uses the last user name in a body with %s, not the one in the query', async (_, body) => {
      const client = clientOf();
      const answer = await client.post(`${client.paths.beginRegistration}?username=victim`, body);
      expect(answer).toMatchObject({ status: 200, body: { user: { name: 'alice' } } });
      expect({}).not.toHaveProperty('polluted');
    });
  });
});
