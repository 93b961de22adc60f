import { DATABASES } from '../support/databases.js';
import { FidoClient, familiesOn } from '../support/fido-client.js';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { TestServer } from '../support/test-server.js';

const ALGORITHMS = [
  ['es256', -7],
  ['eddsa', -8],
  ['rs256', -257],
  ['es384', -35],
  ['ps256', -37],
] as const;

describe.each(DATABASES)('the two ceremonies on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on });
  });
  afterAll(() => server.stop());

  describe.each(familiesOn(on))('the paths of family %s', (family) => {
    it.each(ALGORITHMS)(
      'a user registers a key with the algorithm %s and signs in with it',
      async (name, algorithm) => {
        const authenticator = new SoftAuthenticator({ algorithm });
        const client = new FidoClient(server.url, { family, authenticator });
        const username = `${name}-${family}`;

        const registered = await client.register(username, { algorithms: [name] });
        expect(registered).toMatchObject({
          status: 200,
          body: {
            status: 'ok',
            errorMessage: '',
            username,
            credentialId: authenticator.credentials[0]?.id.toString('base64url'),
            userVerified: true,
            attestation: { format: 'none', type: 'none', trusted: false },
            backupEligible: false,
            backedUp: false,
          },
        });

        for (const signCount of [2, 3]) {
          const signedIn = await client.signIn(username);
          expect(signedIn).toMatchObject({
            status: 200,
            body: {
              status: 'ok',
              errorMessage: '',
              username,
              displayName: username,
              userVerified: true,
              signCount,
              backedUp: false,
              token: expect.any(String),
            },
          });
        }
      },
    );
  });
});
