import { FidoClient } from '../support/fido-client.js';
import { disableCredentials } from '../support/refusals/disable.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { TestServer } from '../support/test-server.js';

describe('assertion/options: PublicKeyCredentialRequestOptionsJSON (WebAuthn L3 §5.1.10)', () => {
  let server: TestServer;
  let rita: FidoClient;
  beforeAll(async () => {
    server = await TestServer.start();
    rita = clientOf();
    await rita.register('rita');
  });
  afterAll(() => server.stop());
  const clientOf = () => new FidoClient(server.url);

  it('the options of a sign-in have exactly the documented members', async () => {
    expect((await clientOf().beginAuthentication('rita')).body).toEqual({
      status: 'ok',
      errorMessage: '',
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      timeout: 60_000,
      rpId: 'localhost',
      allowCredentials: [
        {
          type: 'public-key',
          id: rita.keyId,
          transports: ['internal'],
        },
      ],
      userVerification: 'preferred',
      extensions: {},
    });
  });

  it('returns the requested user verification and extensions of a sign-in', async () => {
    const asked = { userVerification: 'discouraged', extensions: { uvm: true } };
    expect((await clientOf().beginAuthentication('rita', asked)).body).toMatchObject(asked);
  });

  it.each(['https://localhost', 'https://localhost/appid.json', ''])(
    'refuses the extension appid %j, because no relying party has an AppID (E0001R)',
    async (appid) => {
      const extensions = { appid };
      const answer = await clientOf().beginAuthentication('rita', { extensions });
      expectRefusal(answer, 'E0001R');
      expect(answer.body).toMatchObject({ reason: 'field.appId' });
    },
  );

  it('accepts hints, and user verification inside authenticatorSelection, without a warning', async () => {
    const hints = ['security-key'];
    const answer = await clientOf().beginAuthentication('rita', { hints });
    expect(answer.body).toMatchObject({ hints });
    expect(answer.body).not.toHaveProperty('warnings');
    const authenticatorSelection = { userVerification: 'required' };
    const asked = { authenticatorSelection, userVerification: 'discouraged' };
    const { body } = await clientOf().beginAuthentication('rita', asked);
    expect(body).toMatchObject({ userVerification: 'required' });
    expect(body).not.toHaveProperty('warnings');
  });

  it('a begin call of a sign-in warns of an unknown field and succeeds', async () => {
    const { status, body } = await clientOf().beginAuthentication('rita', { displayName: 'Rita' });
    expect(status).toBe(200);
    expect(body['warnings']).toEqual(['"displayName" is no field of this call, and was ignored.']);
  });

  it('finds a user by the decomposed user name, but not in another case or without accents', async () => {
    await clientOf().register('Ren\u00e9e');
    const statuses = ['Rene\u0301e', 'renée', 'Renee'].map(
      async (name) => (await clientOf().beginAuthentication(name)).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 403, 403]);
  });

  it('allowCredentials lists only enabled keys; without any, the begin call answers 403', async () => {
    const blue = clientOf();
    const red = clientOf();
    await blue.register('lena');
    await red.register('lena');
    await disableCredentials(server, blue.authenticator);
    expect((await red.beginAuthentication('lena')).body['allowCredentials']).toMatchObject([
      { id: red.keyId },
    ]);
    await disableCredentials(server, red.authenticator);
    expect(await red.beginAuthentication('lena')).toMatchObject({
      status: 403,
      body: { status: 'failed', errorMessage: expect.stringMatching(/./) },
    });
  });
});
