import { supportedAlgorithms } from '../../src/webauthn/keys/algorithms.js';
import type { CreationOptions } from '../../packages/testing/src/ceremony-json.js';
import { ALG, ML_DSA, RS1 } from '../../packages/testing/src/key-pair.js';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { FidoClient } from '../support/fido-client.js';
import { TestServer } from '../support/test-server.js';

/** COSE numbers in the answer of a begin call. */
const offered = (body: unknown) => (body as CreationOptions).pubKeyCredParams.map(({ alg }) => alg);

describe('algorithms of a begin call', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ options: { conformance: true } });
  });
  afterAll(() => server.stop());

  it('a user registers and signs in with RS1, by name or number, with --conformance on (Resp-4 P-8)', async () => {
    const authenticator = new SoftAuthenticator({ algorithm: RS1, attestation: 'packed-self' });
    const client = new FidoClient(server.url, { authenticator });
    for (const algorithms of [['rs1'], ['RS1', 'es256'], [RS1]]) {
      const { body } = await client.beginRegistration('alice', { algorithms });
      expect(offered(body)).toContain(RS1);
    }
    expect((await client.register('alice', { algorithms: ['rs1'] })).status).toBe(200);
    expect((await client.signIn('alice')).status).toBe(200);
  });

  it('a begin call offers all supported algorithms and RS1 with --conformance on (Resp-4)', async () => {
    const client = new FidoClient(server.url);
    const { body } = await client.beginRegistration('bob');
    expect(offered(body)).toEqual([...supportedAlgorithms(), RS1]);
  });

  it('a begin call offers ES256, EdDSA and RS256 by default', async () => {
    const ordinary = await TestServer.start();
    const { body } = await new FidoClient(ordinary.url).beginRegistration('bob');
    await ordinary.stop();
    expect(offered(body)).toEqual([ALG.ES256, ALG.EdDSA, ALG.RS256]);
  });

  it.each(Object.entries({ ...ALG, ...ML_DSA }))(
    'a begin call accepts the algorithm %s only if the runtime verifies it',
    async (name, alg) => {
      const client = new FidoClient(server.url);
      const { status, body } = await client.beginRegistration('carol', { algorithms: [name] });
      expect(status).toBe(supportedAlgorithms().includes(alg) ? 200 : 400);
      if (status === 200) expect(offered(body)).toEqual([alg]);
      else expect(body['errorCode']).toBe('E0001R');
    },
  );

  it.each(Object.entries(ML_DSA))(
    'a user registers and signs in with %s, attested or not, if the runtime verifies it',
    async (name, algorithm) => {
      const short = name.replaceAll('-', '').toLowerCase();
      for (const attestation of ['none', 'packed-self'] as const) {
        const username = `${short}-${attestation}`;
        if (!supportedAlgorithms().includes(algorithm)) {
          const client = new FidoClient(server.url);
          const { body } = await client.beginRegistration(username, { algorithms: [short] });
          expect(body).toMatchObject({
            errorCode: 'E0001R',
            errorMessage: expect.stringContaining('algorithms'),
          });
          continue;
        }
        const authenticator = new SoftAuthenticator({ algorithm, attestation });
        const client = new FidoClient(server.url, { authenticator });
        const asked = { algorithms: [short], attestation: 'direct' };
        const { status, body } = await client.register(username, asked);
        expect([status, body['errorMessage']]).toEqual([200, '']);
        expect((await client.signIn(username)).status).toBe(200);
        const forged = client.assert(await client.beginAuthentication(username));
        const signature = Buffer.from(forged.response.signature, 'base64url');
        signature.writeUInt8(signature.readUInt8(9) ^ 1, 9);
        const response = { ...forged.response, signature: signature.toString('base64url') };
        const refused = await client.completeAuthentication({ ...forged, response });
        expect(refused.body['errorCode']).toBe('E0032R');
      }
    },
  );
});
