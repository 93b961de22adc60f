import { SoftAuthenticator } from '../support/authenticator/soft-authenticator.js';
import { FidoClient } from '../support/fido-client.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { TestServer } from '../support/test-server.js';

const POLICIES = ['required', 'preferred', 'discouraged'] as const;
const SELECTION = { authenticatorSelection: { userVerification: 'discouraged' } };

/** The precedence: --verify, the relying party's policy, authenticatorSelection, the field, default. */
describe.each([
  ['on', true],
  ['off', false],
])('user verification with --verify %s', (_, verify) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ options: { verify } });
    for (const userVerification of POLICIES) {
      await server.addRelyingParty('acme', {
        domain: `${userVerification}.example`,
        policy: { userVerification },
      });
    }
  });
  afterAll(() => server.stop());

  const clientOf = (relyingParty: string, authenticator = new SoftAuthenticator()) =>
    new FidoClient(server.url, {
      relyingParty,
      authenticator,
      ...(relyingParty === 'localhost' ? {} : { origin: `https://${relyingParty}` }),
    });

  it.each([
    ['localhost', {}, 'preferred'],
    ['localhost', { userVerification: 'required' }, 'required'],
    ['localhost', { userVerification: 'required', ...SELECTION }, 'discouraged'],
    ['required.example', { userVerification: 'discouraged', ...SELECTION }, 'required'],
    ['preferred.example', { userVerification: 'required' }, 'preferred'],
    ['discouraged.example', { userVerification: 'required' }, 'discouraged'],
  ])(
    'registration at %s with %j: %s unless forced (J28)',
    async (relyingParty, asked, otherwise) => {
      const { body } = await clientOf(relyingParty).beginRegistration('alice', asked);
      const userVerification = verify ? 'required' : otherwise;
      expect(body['authenticatorSelection']).toMatchObject({ userVerification });
    },
  );

  it.each([
    ['localhost', {}, 'preferred'],
    ['localhost', { userVerification: 'required' }, 'required'],
    ['localhost', { userVerification: 'discouraged' }, 'discouraged'],
    ['required.example', { userVerification: 'discouraged' }, 'required'],
    ['preferred.example', { userVerification: 'required' }, 'preferred'],
    ['discouraged.example', { userVerification: 'required' }, 'discouraged'],
  ])('sign-in at %s with %j: %s unless forced (J28)', async (relyingParty, asked, otherwise) => {
    const client = clientOf(relyingParty);
    await client.register('alice');
    const { body } = await client.beginAuthentication('alice', asked);
    expect(body).toMatchObject({ userVerification: verify ? 'required' : otherwise });
  });

  it('what the options demanded is demanded of the registration and of the sign-in (D07)', async () => {
    const device = { userVerified: false };
    const asked = { userVerification: 'discouraged' };
    const client = clientOf('localhost', new SoftAuthenticator(device));
    const registered = await client.register('bob', asked);
    if (verify) return expectRefusal(registered, 'E0031R');
    expect(registered).toMatchObject({ status: 200, body: { userVerified: false } });
    expect(await client.signIn('bob')).toMatchObject({
      status: 200,
      body: { userVerified: false },
    });
  });

  it('who is verified passes everywhere (D08)', async () => {
    for (const domain of ['localhost', ...POLICIES.map((policy) => `${policy}.example`)]) {
      const client = clientOf(domain);
      expect(await client.register('carol')).toMatchObject({ body: { userVerified: true } });
      expect(await client.signIn('carol')).toMatchObject({ body: { userVerified: true } });
    }
  });
});
