import { randomBytes } from 'node:crypto';
import { decodeJwt } from 'jose';
import * as client from 'openid-client';
import { AdminClient } from '../support/admin-client.js';
import { FidoClient } from '../support/fido-client.js';
import { OidcBrowser } from '../support/oidc-browser.js';
import { addClient, authorizationRequest, discover, startIssuer } from '../support/oidc-issuer.js';
import { TestServer } from '../support/test-server.js';
import { foreignKey, jsonLinesOf, postImport } from '../support/transfer.js';

describe('OpenID Connect for a key that was imported without its backup flag', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startIssuer();
  });
  afterAll(() => server.stop());

  /** A user whose only key has no backup flag until its first sign-in. */
  const imported = async (username: string, backupEligible: boolean) => {
    const handle = randomBytes(32);
    const { authenticator, credential, publicKey } = foreignKey({
      rpId: 'localhost',
      handle,
      backupEligible,
    });
    const key = {
      credentialId: credential.id.toString('base64url'),
      publicKey: publicKey.toString('base64url'),
      signCount: 0,
      uvInitialized: true,
    };
    const userHandle = handle.toString('base64url');
    const lines = [
      { type: 'header', format: 'servicefido-users', version: 1, relyingParty: 'localhost' },
      { type: 'user', username, userHandle, keys: [key] },
      { type: 'end', users: 1, keys: 1 },
    ];
    const { status, text } = await postImport(new AdminClient(server.url), jsonLinesOf(lines));
    if (status !== 200) throw new Error(text);
    return new FidoClient(server.url, { authenticator });
  };

  it.each([
    { title: 'of one device', backupEligible: false, method: 'hwk' },
    { title: 'that can be synced', backupEligible: true, method: 'swk' },
  ])(
    'gives the first sign-in of a key $title the acr and amr of the four calls',
    async ({ backupEligible, method }) => {
      const fourCalls = await imported(`${method} of the four calls`, backupEligible);
      const answer = await fourCalls.signIn(`${method} of the four calls`);
      const { acr, amr } = decodeJwt(String(answer.body['token']));
      expect(amr).toEqual([method, 'user', 'mfa']);

      const user = await imported(`${method} of the page`, backupEligible);
      const config = await discover(await addClient(server));
      const { address, checks } = await authorizationRequest(config);
      const browser = new OidcBrowser(server.url, user);
      const back = await browser.authorize(address, `${method} of the page`);
      const tokens = await client.authorizationCodeGrant(config, back, checks);
      expect(tokens.claims()).toMatchObject({ acr, amr });
    },
  );
});
