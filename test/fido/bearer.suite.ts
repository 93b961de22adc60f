import { sentenceOf, problem } from '../../src/platform/errors/reasons.js';
import { newKeySecret } from '../../src/platform/access/accounts/key-secret.js';
import { adminClient } from '../support/client.js';
import { FidoClient, PATHS } from '../support/fido-client.js';
import { TestServer } from '../support/test-server.js';

const IGNORED = sentenceOf(problem('authorization.ignored'));
const MISPLACED = sentenceOf(problem('authorization.keyElsewhere'));

describe('the Authorization header of the four calls', () => {
  let server: TestServer;
  let anna: FidoClient;
  let token: string;
  beforeAll(async () => {
    server = await TestServer.start();
    anna = new FidoClient(server.url);
    await anna.register('anna');
    token = String((await anna.signIn('anna')).body['token']);
  });
  afterAll(() => server.stop());

  const begin = (authorization: string, body: object = { username: 'anna' }) =>
    anna.post(anna.paths.beginAuthentication, body, { authorization });

  it.each([
    'Bearer',
    'Bearer ',
    'bearer',
    'Bearer undefined',
    'Bearer null',
    'BEARER  null',
    'Bearer None',
    'Bearer nil',
    'Bearer $SERVICEFIDO_KEY',
    'Bearer ${SERVICEFIDO_KEY}',
    'Bearer {{ secrets.key }}',
    `Bearer "${newKeySecret()}"`,
    `Bearer '${newKeySecret()}'`,
    'Bearer sfk_',
    'Bearer sfk_none',
    'Bearer  sfk_none',
    'Bearer\tsfk_none',
    `Bearer ${newKeySecret()}`,
    `Bearer ${newKeySecret()}x`,
    `Bearer ${newKeySecret().slice(0, -1)}`,
  ])('refuses all four calls with %j, and never asks for a password (E0042R)', async (wrong) => {
    const before = await server.snapshot();
    for (const path of Object.values(PATHS.certify)) {
      const answer = await anna.post(path, {}, { authorization: wrong });
      expect(answer).toMatchObject({ status: 401, body: { errorCode: 'E0042R' } });
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer(?: |$)/);
    }
    expect(await server.snapshot()).toBe(before);
  });

  it('keeps the ceremony of a result call that is refused for its header', async () => {
    const body = anna.assert(await anna.beginAuthentication('anna'));
    const refused = await anna.post(anna.paths.completeAuthentication, body, {
      authorization: 'Bearer undefined',
    });
    expect(refused.body.reason).toBe('authorization.empty');
    expect((await anna.completeAuthentication(body)).status).toBe(200);
  });

  it.each([
    'Basic YWRtaW46YWRtaW4=',
    'Basic',
    'Negotiate abc',
    'Digest username="x"',
    'Bearer abc',
    'Bearer eyJhbGciOiJub25lIn0.e30.',
    'Bearer a b',
    'Bearer nonesuch',
    'sfk_none',
    'Bearerundefined',
  ])('ignores %j, and says so in the warnings of both begin calls', async (foreign) => {
    const warnings = foreign.startsWith('sfk_') ? [IGNORED, MISPLACED] : [IGNORED];
    const signIn = await begin(foreign);
    expect(signIn).toMatchObject({ status: 200, body: { warnings } });
    const unknown = await begin(foreign, { username: 'anna', colour: 'red' });
    expect(unknown.body['warnings']).toEqual([expect.stringContaining('"colour"'), ...warnings]);
    const registration = await anna.post(
      anna.paths.beginRegistration,
      { username: 'anna', displayName: 'Anna' },
      { authorization: foreign },
    );
    expect(registration).toMatchObject({ status: 200, body: { warnings } });
    const completed = await anna.post(anna.paths.completeAuthentication, anna.assert(signIn), {
      authorization: foreign,
    });
    expect(completed.status).toBe(200);
    expect(completed.body).not.toHaveProperty('warnings');
  });

  it.each([
    ['a header that other servers read', '', { 'X-Api-Key': newKeySecret() }],
    ['a header of an unknown name', '', { 'X-ServiceFido-Key': newKeySecret() }],
    ['a cookie', '', { cookie: `key=${newKeySecret()}` }],
    ['the address', `?key=${newKeySecret()}`, {}],
  ])(
    'says in the warnings that %s is no place for an application key',
    async (_, query, headers) => {
      const path = `${anna.paths.beginAuthentication}${query}`;
      const answer = await anna.post(path, { username: 'anna' }, headers);
      expect(answer).toMatchObject({ status: 200, body: { warnings: [MISPLACED] } });
    },
  );

  it('accepts a token of this server where no call needs it, valid or not, without a warning', async () => {
    for (const sent of [token, `${token.slice(0, -8)}AAAAAAAA`]) {
      const answer = await begin(`Bearer ${sent}`);
      expect(answer.status).toBe(200);
      expect(answer.body).not.toHaveProperty('warnings');
    }
  });

  it('reports, and does not refuse, a further key with an invalid token where the rule only reports', async () => {
    const policy = { registration: { mode: 'report', value: 'first-only' } };
    const changed = await adminClient(server.url).patch(
      '/tenantapi/tenants/default/relying-parties/localhost',
      { policy },
    );
    expect(changed.status).toBe(200);
    const invalid = { authorization: `Bearer ${token.slice(0, -8)}AAAAAAAA` };
    const body = { username: 'anna', displayName: 'Anna' };
    const answer = await anna.post(anna.paths.beginRegistration, body, invalid);
    expect(answer.status).toBe(200);
  });
});
