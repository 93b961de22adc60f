import { bearer, issueKey } from '../support/application-keys.js';
import { FidoClient } from '../support/fido-client.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { TestServer } from '../support/test-server.js';

describe('members that are null', () => {
  let server: TestServer;
  let client: FidoClient;
  beforeAll(async () => {
    server = await TestServer.start();
    client = new FidoClient(server.url);
  });
  afterAll(() => server.stop());

  it('optional members that are null count as absent in a registration and a sign-in', async () => {
    const begun = await client.beginRegistration('nadia', REGISTRATION);
    const bare = await client.beginRegistration('nadia');
    const random = { challenge: '', user: {} };
    expect({ ...begun.body, ...random }).toEqual({ ...bare.body, ...random });
    const created = client.create(bare);
    const response = { ...created.response, transports: null };
    const registered = await client.completeRegistration({ ...created, ...RESULT, response });
    expect(registered.status).toBe(200);

    const asked = await client.beginAuthentication('nadia', AUTHENTICATION);
    const asserted = client.assert(asked);
    const answer = await client.completeAuthentication({
      ...asserted,
      ...RESULT,
      response: { ...asserted.response, userHandle: null },
    });
    expect(answer.status).toBe(200);
  });

  it.each([
    ['username', 'E0001R'],
    ['displayName', 'E0001R'],
  ])(
    'refuses a begin call of a registration whose member %s is null (%s)',
    async (member, code) => {
      expectRefusal(await client.beginRegistration('nina', { [member]: null }), code);
    },
  );

  it.each([
    ['type', 'E0002R'],
    ['id', 'E0005R'],
    ['rawId', 'E0006R'],
    ['response', 'E0007R'],
  ])(
    'refuses a result call of a registration whose member %s is null (%s)',
    async (member, code) => {
      const created = client.create(await client.beginRegistration('nora'));
      expectRefusal(await client.completeRegistration({ ...created, [member]: null }), code);
    },
  );

  it('refuses a begin call of a sign-in whose user name is null, even with mediation (E0001R)', async () => {
    for (const mediation of [undefined, 'conditional'])
      expectRefusal(
        await client.beginAuthentication('nadia', { username: null, mediation }),
        'E0001R',
      );
  });

  it('refuses a backend’s result call whose ceremony is null, even with a cookie (E0024R)', async () => {
    const { secret } = await issueKey(server.url, { tenant: 'default', scopes: ['ceremonies'] });
    const begun = await client.beginRegistration('nils');
    const body = { ...client.create(begun), ceremony: null };
    const answer = await client.post(client.paths.completeRegistration, body, bearer(secret));
    expectRefusal(answer, 'E0024R');
    expect(answer.body.reason).toBe('session.ceremonyMissing');
  });
});

/** Optional members of attestation/options, each of them `null`, as .NET and Java serialisers send them. */
const REGISTRATION = {
  userVerification: null,
  attestation: null,
  attachment: null,
  algorithms: null,
  discoverable_credential: null,
  authenticatorSelection: { requireResidentKey: null, residentKey: null, userVerification: null },
  residentKey: null,
  requireResidentKey: null,
  authenticatorAttachment: null,
  keypair: null,
  extensions: null,
  hints: null,
  mediation: null,
  ticket: null,
  userId: null,
  clientAddress: null,
};

const AUTHENTICATION = {
  mediation: null,
  userVerification: null,
  authenticatorSelection: null,
  extensions: null,
  hints: null,
  userId: null,
  nonce: null,
  audience: null,
  acr: null,
  transaction: null,
  ticket: null,
  secondFactor: null,
  clientAddress: null,
};

const RESULT = { authenticatorAttachment: null, clientExtensionResults: null, ceremony: null };
