import { decodeJwt } from 'jose';
import { issueKey } from '../support/application-keys.js';
import { Backend } from '../support/backend.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

const CEREMONIES = { tenant: 'default', scopes: ['ceremonies'] };

describe.each(DATABASES)('user IDs of an application, on %s', (on) => {
  let server: TestServer;
  let secret: string;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    secret = (await issueKey(server.url, CEREMONIES)).secret;
  });
  afterAll(() => server.stop());

  const backend = () => new Backend(server.url, secret);
  const claimOf = ({ body }: { body: Readonly<Record<string, unknown>> }) =>
    decodeJwt(String(body['token']))['user_id'];
  const conflict = { status: 400, body: { errorCode: 'E0001R' } };

  it('the user ID is the claim "user_id" of every token; "sub" remains the user name', async () => {
    const shop = backend();
    expect((await shop.register('anna', { userId: 'customer-1' })).status).toBe(200);
    const signedIn = await shop.signIn('anna');
    expect(decodeJwt(String(signedIn.body['token']))).toMatchObject({
      sub: 'anna',
      user_id: 'customer-1',
    });
    const page = new FidoClient(server.url, { authenticator: shop.authenticator });
    expect(claimOf(await page.signIn('anna'))).toBe('customer-1');
  });

  it('the user ID is not the WebAuthn user.id', async () => {
    const begun = await backend().beginRegistration('handle', { userId: 'customer-2' });
    const { id } = begun.body['user'] as { id: string };
    expect(Buffer.from(id, 'base64url')).toHaveLength(32);
    expect(Buffer.from(id, 'base64url').toString()).not.toContain('customer-2');
  });

  it('a token has no claim "user_id" if no application set the user ID', async () => {
    const page = new FidoClient(server.url);
    await page.register('plain');
    expect(decodeJwt(String((await page.signIn('plain')).body['token']))).not.toHaveProperty(
      'user_id',
    );
  });

  it('the next completed ceremony sets the user ID of an existing user', async () => {
    const shop = backend();
    await shop.register('late');
    const begun = await shop.beginAuthentication('late', { userId: 'customer-3' });
    const { ceremony } = begun.body;
    // The begin call alone stores nothing.
    expect(claimOf(await shop.signIn('late'))).toBeUndefined();
    const answer = await shop.completeAuthentication({ ...shop.assert(begun), ceremony });
    expect(claimOf(answer)).toBe('customer-3');
    expect(claimOf(await shop.signIn('late'))).toBe('customer-3');

    const other = backend();
    await other.register('later');
    const again = new Backend(server.url, secret);
    expect((await again.register('later', { userId: 'customer-4' })).status).toBe(200);
    expect(claimOf(await again.signIn('later'))).toBe('customer-4');
  });

  it('a registration or sign-in cannot change the user ID (E0001R)', async () => {
    const shop = backend();
    await shop.register('keeper', { userId: 'kept' });
    expect(await shop.beginRegistration('keeper', { userId: 'other' })).toMatchObject(conflict);
    expect(await shop.beginAuthentication('keeper', { userId: 'other' })).toMatchObject(conflict);
    expect((await shop.beginAuthentication('keeper', { userId: 'kept' })).status).toBe(200);
  });

  it('a user ID is unique at a relying party, and free at another (E0001R)', async () => {
    await server.addRelyingParty('default', { domain: 'other.example' });
    const shop = backend();
    await shop.register('owner', { userId: 'mine' });
    await shop.register('thief');
    expect(await shop.beginRegistration('new-thief', { userId: 'mine' })).toMatchObject(conflict);
    expect(await shop.beginAuthentication('thief', { userId: 'mine' })).toMatchObject(conflict);
    const elsewhere = new Backend(server.url, secret, {
      relyingParty: 'other.example',
    });
    expect((await elsewhere.register('owner', { userId: 'mine' })).status).toBe(200);
  });

  it('only one of two users who register at once gets the user ID (E0001R)', async () => {
    const one = backend();
    const other = backend();
    const begun = await one.beginRegistration('first', { userId: 'contested' });
    const second = await other.beginRegistration('second', { userId: 'contested' });
    const answers = await Promise.all([
      one.completeRegistration(one.create(begun)),
      other.completeRegistration(other.create(second)),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    const refused = answers.find(({ status }) => status === 400);
    expect(refused?.body.errorCode).toBe('E0001R');
    const rows = await rowsOf(
      server,
      'SELECT id FROM users WHERE subject = ?',
      Buffer.from('contested'),
    );
    expect(rows).toHaveLength(1);
  });

  it('a refused ceremony sets no user ID', async () => {
    const shop = backend();
    await shop.register('refused');
    await shop.signIn('refused', { signCount: 9 });
    const begun = await shop.beginAuthentication('refused', { userId: 'customer-5' });
    const cloned = { ceremony: begun.body['ceremony'], ...shop.assert(begun, { signCount: 1 }) };
    expect((await shop.completeAuthentication(cloned)).body.errorCode).toBe('E0035R');
    expect(claimOf(await shop.signIn('refused', { signCount: 10 }))).toBeUndefined();

    const [credential] = shop.authenticator.credentials;
    const again = new Backend(server.url, secret);
    const known = await again.beginRegistration('refused', { userId: 'customer-5' });
    const made = again.create(known, { attestedCredentialId: credential?.id ?? Buffer.of() });
    const id = credential?.id.toString('base64url');
    const answer = await again.completeRegistration({ ...made, id, rawId: id });
    expect(answer.body.errorCode).toBe('E0036R');
    expect(claimOf(await shop.signIn('refused', { signCount: 11 }))).toBeUndefined();

    const other = backend();
    expect((await other.register('other', { userId: 'customer-5' })).status).toBe(200);
  });

  it('simultaneous ceremonies of one user with the same user ID all succeed', async () => {
    const shop = backend();
    await shop.register('twice');
    const begun = [];
    for (let n = 0; n < 3; n += 1) {
      begun.push(await shop.beginAuthentication('twice', { userId: 'customer-6' }));
    }
    const registered = backend();
    const third = await registered.beginRegistration('twice', { userId: 'customer-6' });
    for (const one of begun) {
      const { ceremony } = one.body;
      const answer = await shop.completeAuthentication({ ...shop.assert(one), ceremony });
      expect(claimOf(answer)).toBe('customer-6');
    }
    expect((await registered.completeRegistration(registered.create(third))).status).toBe(200);
  });

  it('refuses a user ID that another user got in the meantime, without a clone alarm (E0001R)', async () => {
    const one = backend();
    const other = backend();
    await one.register('early');
    await other.register('tardy');
    const begun = await other.beginAuthentication('tardy', { userId: 'customer-7' });
    const added = await other.beginRegistration('tardy', { userId: 'customer-7' });
    const first = await one.beginAuthentication('early', { userId: 'customer-7' });
    expect((await one.completeAuthentication(one.assert(first))).status).toBe(200);
    const late = { ...other.assert(begun), ceremony: begun.body['ceremony'] };
    expect(await other.completeAuthentication(late)).toMatchObject(conflict);
    const made = { ...backend().create(added), ceremony: added.body['ceremony'] };
    expect(await other.completeRegistration(made)).toMatchObject(conflict);
    const alarms = await rowsOf(
      server,
      "SELECT id FROM events WHERE kind = 'clone-alarm' AND username = ?",
      Buffer.from('tardy'),
    );
    expect(alarms).toEqual([]);
    expect(claimOf(await other.signIn('tardy'))).toBeUndefined();
  });

  it('user IDs of up to 64 bytes of UTF-8 are compared byte for byte', async () => {
    const shop = backend();
    const names = ['é', 'e\u0301', 'É', 'x', 'x ', 'ü'.repeat(32)];
    for (const [n, userId] of names.entries()) {
      expect((await shop.register(`bytes-${n}`, { userId })).status).toBe(200);
      expect(claimOf(await shop.signIn(`bytes-${n}`))).toBe(userId);
    }
  });

  it.each<[string, unknown]>([
    ['empty', ''],
    ['a number', 7],
    ['65 bytes long', 'x'.repeat(65)],
    ['33 characters of 66 bytes', 'ü'.repeat(33)],
    ['half a character', '\ud800'],
  ])('refuses a user ID that is %s (E0001R)', async (_, userId) => {
    const shop = backend();
    expect(await shop.beginRegistration('nobody', { userId })).toMatchObject(conflict);
  });

  it('refuses a user ID without an application key (E0001R)', async () => {
    const page = new FidoClient(server.url);
    expect(await page.beginRegistration('page', { userId: 'x' })).toMatchObject(conflict);
    await page.register('page');
    expect(await page.beginAuthentication('page', { userId: 'x' })).toMatchObject(conflict);
  });
});
