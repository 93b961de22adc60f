import { decodeJwt } from 'jose';
import { AdminClient } from '../support/admin-client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { TestServer } from '../support/test-server.js';

describe.each(DATABASES)('PATCH /userapi/users on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on });
  });
  afterAll(() => server.stop());

  const change = (body: object) =>
    new AdminClient(server.url, 'localhost').send('/userapi/users', {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const registered = async (username: string) => {
    const person = new FidoClient(server.url);
    expect((await person.register(username)).status).toBe(200);
    return person;
  };

  it('the keys stay: the user signs in by the new name, and by the old no more', async () => {
    const anna = await registered('anna');
    const old = String((await anna.signIn('anna')).body['token']);
    const wish = { username: 'anna', newUsername: 'anna.smith', displayName: 'Anna Smith' };
    const changed = await change(wish);
    expect(changed).toMatchObject({
      status: 200,
      body: { username: 'anna.smith', displayName: 'Anna Smith', credentials: 1 },
    });
    const { status, body } = await anna.signIn('anna.smith');
    expect(status).toBe(200);
    expect(body).toMatchObject({ username: 'anna.smith', displayName: 'Anna Smith' });
    expect(decodeJwt(String(body['token'])).sub).toBe('anna.smith');
    expect((await anna.beginAuthentication('anna')).status).toBe(403);
    const headers = { authorization: `Bearer ${old}` };
    const [key] = anna.authenticator.credentials;
    const path = `/fidoapi/keys/${key?.id.toString('base64url')}?confirm=last`;
    expectRefusal(await anna.send(path, { method: 'DELETE', headers }), 'E0043R');
    expect((await registered('anna')).authenticator.credentials).toHaveLength(1);
  });

  it('changes the display name alone', async () => {
    const bea = await registered('bea');
    expect((await change({ username: 'bea', displayName: 'Bea B.' })).status).toBe(200);
    expect((await bea.signIn('bea')).body).toMatchObject({ displayName: 'Bea B.' });
  });

  it.each([
    ['E0045R', 400, 'a name that another user has', { username: 'cleo', newUsername: 'dora' }],
    ['E0045R', 400, 'nothing to change', { username: 'cleo' }],
    ['E0045R', 400, 'a name that is none', { username: 'cleo', newUsername: ' cleo' }],
    ['E0045R', 400, 'a display name that is none', { username: 'cleo', displayName: '' }],
    ['E0044R', 404, 'a user who is not there', { username: 'nobody', displayName: 'N' }],
  ])('%s (%d) for %s, and nothing is changed', async (code, status, _, body) => {
    await registered('cleo');
    await registered('dora');
    const before = await server.snapshot();
    expectRefusal(await change(body), code, status);
    expect(await server.snapshot()).toBe(before);
  });

  it('of two users who want one name at once one gets it', async () => {
    await registered('emma');
    await registered('fran');
    const answers = await Promise.all(
      ['emma', 'fran'].map((username) => change({ username, newUsername: 'wanted' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  });
});
