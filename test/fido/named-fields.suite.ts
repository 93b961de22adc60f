import { FidoClient } from '../support/fido-client.js';
import { TestServer } from '../support/test-server.js';

const base64Url = (text: string) => Buffer.from(text).toString('base64url');
const json = (members: object) => base64Url(JSON.stringify(members));
const RIGHT = { type: 'webauthn.create', challenge: 'AAAA', origin: 'http://localhost' };

const JSON_ADVICE =
  '"clientDataJSON" must contain a JSON object in UTF-8, each of whose members occurs once.';

describe('the sentence about a malformed response', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  it.each<[string, string, object, string]>([
    ['E0007R', 'attestationObject', { attestationObject: undefined }, 'is missing.'],
    ['E0007R', 'attestationObject', { attestationObject: 7 }, 'must be a string in Base64URL.'],
    ['E0007R', 'attestationObject', { attestationObject: 'a b' }, 'must be a string in Base64URL.'],
    ['E0007R', 'response.transports', { transports: 'usb' }, 'must be an array of at most 64'],
    ['E0008R', 'clientDataJSON', { clientDataJSON: undefined }, 'is missing.'],
    ['E0008R', 'clientDataJSON', { clientDataJSON: 'a b' }, 'must be a string in Base64URL.'],
  ])('%s of a registration names %s', async (code, field, members, fault) => {
    const client = new FidoClient(server.url);
    const created = client.create(await client.beginRegistration('anna'));
    const response = { ...created.response, ...members };
    const { body } = await client.completeRegistration({ ...created, response });
    expect(body).toMatchObject({
      errorCode: code,
      reason: code === 'E0007R' ? 'registration.malformed' : 'clientData.malformed',
    });
    expect(body.errorMessage).toContain(`. "${field}" ${fault}`);
    expect(server.loggedOf(body['requestId'])).toMatchObject({
      code,
      field,
      errorMessage: body.errorMessage,
    });
  });

  it.each<[string, string, string]>([
    ['is not JSON', base64Url('{'), JSON_ADVICE],
    ['is a list', base64Url('[]'), JSON_ADVICE],
    ['is not UTF-8', Buffer.of(0xff).toString('base64url'), JSON_ADVICE],
    ['repeats a member', base64Url('{"type":"a","type":"b"}'), JSON_ADVICE],
    ['has no type', json({ ...RIGHT, type: undefined }), '"clientDataJSON.type" must be a string.'],
    [
      'has a challenge that is a number',
      json({ ...RIGHT, challenge: 7 }),
      '"clientDataJSON.challenge" must be a string.',
    ],
    [
      'has a crossOrigin that is a text',
      json({ ...RIGHT, crossOrigin: 'no' }),
      '"clientDataJSON.crossOrigin" must be true or false.',
    ],
  ])('names what is wrong if the client data %s', async (_, clientDataJSON, advice) => {
    const client = new FidoClient(server.url);
    const created = client.create(await client.beginRegistration('anna'));
    const response = { ...created.response, clientDataJSON };
    const { body } = await client.completeRegistration({ ...created, response });
    expect(body).toMatchObject({ errorCode: 'E0008R', reason: 'clientData.malformed' });
    expect(body.errorMessage).toBe(
      `The client data is missing, is not Base64URL or is not the expected JSON. ${advice}`,
    );
  });

  it.each<[string, string, object, string]>([
    ['E0010R', 'response.userHandle', { userHandle: 'a b' }, 'must be a string in Base64URL.'],
    ['E0010R', 'response.userHandle', { userHandle: 7 }, 'must be a string in Base64URL.'],
    ['E0017R', 'authenticatorData', { authenticatorData: undefined }, 'is missing.'],
    ['E0018R', 'authenticatorData', { authenticatorData: 7 }, 'must be a string in Base64URL.'],
    ['E0019R', 'signature', { signature: undefined }, 'is missing.'],
    ['E0020R', 'clientDataJSON', { clientDataJSON: undefined }, 'is missing.'],
    ['E0021R', 'clientDataJSON', { clientDataJSON: base64Url('{') }, 'must contain a JSON object'],
  ])('%s of a sign-in names %s', async (code, field, members, fault) => {
    const client = new FidoClient(server.url);
    await client.register('bert');
    const assertion = client.assert(await client.beginAuthentication('bert'));
    const response = { ...assertion.response, ...members };
    const { body } = await client.completeAuthentication({ ...assertion, response });
    expect(body).toMatchObject({ errorCode: code });
    expect(body.errorMessage).toContain(`. "${field}" ${fault}`);
    expect(server.loggedOf(body['requestId'])).toMatchObject({ code, field });
  });
});
