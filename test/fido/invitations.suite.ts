import { OPERATOR_ACCOUNT } from '../../src/platform/access/accounts/account.js';
import { plainText } from '../../src/platform/pages/languages/languages.js';
import type { Phrase } from '../../src/platform/pages/languages/phrase.js';
import { issueKey, keyClient } from '../support/application-keys.js';
import { explain } from '../../src/events/refusal-explanation.js';
import { RefusalLog } from '../../src/fido/refusals/refusal-log.js';
import { InvitationIssue } from '../../src/invitations/invitation-issue.js';
import { Invitations } from '../../src/invitations/invitations.js';
import { changingCall } from '../support/changing-call.js';
import { adminClient, type Answer } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { disableCredentials } from '../support/refusals/disable.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { relyingPartyOf, rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

const INVITATIONS = '/userapi/invitations';
const DAY_MS = 24 * 3_600_000;
const ok = { status: 200, body: { status: 'ok' } };

describe.each(DATABASES)('invitations on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on, options: { registration: 'ticket' } });
    await server.addRelyingParty('acme', {
      domain: 'acme.example',
      enrolmentUrl: 'https://acme.example/welcome?from=help',
    });
    await server.addRelyingParty('acme', { domain: 'bare.example' });
  });
  afterAll(() => server.stop());

  const newUser = () => new FidoClient(server.url);

  it('an invitation is a link with a 128-bit code in its fragment, valid for a day', async () => {
    const { status, body } = await send({ username: 'anna' });
    expect(status).toBe(201);
    expect(body['code']).toEqual(expect.stringMatching(/^[\w-]{22}$/));
    expect(body['url']).toBe(`${server.url}/enrol?relyingParty=localhost#${String(body['code'])}`);
    const left = Date.parse(String(body['expiresAt'])) - server.clock.now();
    expect(Math.abs(left - DAY_MS)).toBeLessThan(10_000);
  });

  it('the code of an invitation is stored only as a hash', async () => {
    const { code } = await issue('hashed');
    const rows = await rowsOf(server, 'SELECT * FROM invitations');
    const kept = JSON.stringify(rows, (_, value: unknown) =>
      Buffer.isBuffer(value) ? value.toString('latin1') : value,
    );
    expect(kept).not.toContain(code);
    expect(kept).not.toContain(Buffer.from(code, 'base64url').toString('latin1'));
    expect(JSON.stringify(server.logged)).not.toContain(code);
    expect(JSON.stringify(await rowsOf(server, 'SELECT * FROM audit'))).not.toContain(code);
  });

  it('an invitation links to the relying party’s own page if it has one', async () => {
    const { url, code } = await issue('bob', { relyingParty: 'acme.example' });
    expect(url).toBe(`https://acme.example/welcome?from=help#${code}`);
  });

  it('refuses an invitation where no page can register a key, and stores nothing (E0045R)', async () => {
    const before = await rowsOf(server, 'SELECT id FROM invitations');
    expectRefusal(await send({ username: 'bob', relyingParty: 'bare.example' }), 'E0045R', 400);
    expect(await rowsOf(server, 'SELECT id FROM invitations')).toHaveLength(before.length);
  });

  it.each([
    ['the scheme http', 'http://acme.example/'],
    ['a fragment', 'https://acme.example/#x'],
    ['an origin that the relying party does not allow', 'https://evil.example/'],
    ['a password', 'https://a:b@acme.example/'],
    ['no host', 'https://'],
  ])('refuses an enrolment URL with %s (E0045R)', async (_, enrolmentUrl) => {
    const path = '/tenantapi/tenants/acme/relying-parties/acme.example';
    expectRefusal(await adminClient(server.url).patch(path, { enrolmentUrl }), 'E0045R', 400);
  });

  it.each([
    ['a lifetime of 0 seconds', { ttl: 0 }],
    ['a lifetime of more than 14 days', { ttl: 14 * 86_400 + 1 }],
    ['zero keys', { minKeys: 0 }],
    ['eleven keys', { minKeys: 11 }],
    ['a user name with a control character', { username: 'a\u0007' }],
    ['an empty display name', { displayName: '' }],
  ])('refuses an invitation with %s (E0045R)', async (_, wish) => {
    expectRefusal(await send({ username: 'bob', ...wish }), 'E0045R', 400);
  });

  it('an invitation registers one key with the display name of the invitation, and then ends', async () => {
    const { code } = await issue('carol', { displayName: 'Carol C.' });
    const carol = newUser();
    const begun = await carol.beginRegistration('carol', { ticket: code });
    expect(begun.body['user']).toMatchObject({ name: 'carol', displayName: 'Carol C.' });
    expect(await carol.completeRegistration(carol.create(begun))).toMatchObject(ok);
    expect((await carol.signIn('carol')).body['displayName']).toBe('Carol C.');
    expectRefusal(await newUser().beginRegistration('carol', { ticket: code }), 'E0043R');
    expect((await look(code)).body).toMatchObject({ state: 'used', keys: 1, minKeys: 1 });
    expect(await trail('carol')).toEqual([
      'admin invitation.issue ok',
      'invitation invitation.begin ok',
      'invitation invitation.key ok',
      'invitation invitation.begin refused',
    ]);
    const { text } = await adminClient(server.url).get(
      '/userapi/audit?action=invitation.begin&result=refused&limit=1',
    );
    expect(text).toContain('"refusal":"invitation.used"');
  });

  it('an invitation keeps the display name of an existing user whose keys are all disabled', async () => {
    const before = newUser();
    const first = await issue('dora', { displayName: 'Dora D.' });
    await before.register('dora', { ticket: first.code });
    await disableCredentials(server, before.authenticator);
    const { code } = await issue('dora');
    const after = newUser();
    expect(await after.register('dora', { ticket: code, displayName: 'dora' })).toMatchObject(ok);
    expect((await after.signIn('dora')).body['displayName']).toBe('Dora D.');
  });

  it('a further key of an invitation requires a token of an enabled key of it (E0043R)', async () => {
    const old = newUser();
    await old.register('emma', { ticket: (await issue('emma')).code });
    const { code } = await issue('emma', { minKeys: 3 });
    const emma = newUser();
    expect(await emma.register('emma', { ticket: code })).toMatchObject(ok);
    expect((await look(code)).body).toMatchObject({ state: 'open', keys: 1, minKeys: 3 });

    expectRefusal(await newUser().beginRegistration('emma', { ticket: code }), 'E0043R');
    const byOld = await old.signIn('emma');
    expectRefusal(await withToken(newUser(), 'emma', { code, by: byOld }), 'E0043R');
    const byNew = await emma.signIn('emma');
    const drawer = newUser();
    const begun = await withToken(drawer, 'emma', { code, by: byNew });
    expect(await drawer.completeRegistration(drawer.create(begun))).toMatchObject(ok);

    const third = newUser();
    const pending = await withToken(third, 'emma', { code, by: byNew });
    expect(pending.status).toBe(200);
    await disableCredentials(server, emma.authenticator);
    expectRefusal(await third.completeRegistration(third.create(pending)), 'E0043R');
    expectRefusal(await withToken(newUser(), 'emma', { code, by: byNew }), 'E0043R');
    const byDrawer = await drawer.signIn('emma');
    const last = await withToken(third, 'emma', { code, by: byDrawer });
    expect(await third.completeRegistration(third.create(last))).toMatchObject(ok);
    expect((await look(code)).body).toMatchObject({ state: 'used', keys: 3 });
  });

  it('an invitation stores only one of two registrations that begin at once', async () => {
    const { code } = await issue('frank', { minKeys: 2 });
    const one = newUser();
    const two = newUser();
    const begun = await Promise.all([
      one.beginRegistration('frank', { ticket: code }),
      two.beginRegistration('frank', { ticket: code }),
    ]);
    const answers = await Promise.all([
      one.completeRegistration(one.create(begun[0])),
      two.completeRegistration(two.create(begun[1])),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, expect.any(Number)]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await look(code)).body).toMatchObject({ keys: 1 });
  });

  it('an invitation allows only ten begin calls for a key, parallel or not (E0043R)', async () => {
    const { code } = await issue('grace', { minKeys: 2 });
    const begin = () => newUser().beginRegistration('grace', { ticket: code });
    const ten = await Promise.all(Array.from({ length: 12 }, begin));
    expect(ten.filter(({ status }) => status === 200)).toHaveLength(10);
    expect((await look(code)).body).toMatchObject({ state: 'worn-out' });
    expectRefusal(await begin(), 'E0043R');
  });

  it.each([
    ['an invitation', INVITATIONS, 'code'],
    ['a ticket', '/userapi/tickets', 'ticket'],
  ])('%s is not worn out by begin calls that are refused', async (_, path, member) => {
    const relyingParty = 'acme.example';
    const username = `gina-${member}`;
    const gina = new FidoClient(server.url, { relyingParty });
    const permit = async () => {
      const { body } = await adminClient(server.url).post(path, { username, relyingParty });
      return { ticket: String(body[member]) };
    };
    expect(await gina.register(username, await permit())).toMatchObject(ok);
    const next = await permit();
    const refused = async (wish: object, reason: object) => {
      for (let tries = 1; tries <= 11; tries += 1) {
        const { body } = await gina.beginRegistration(username, { ...next, ...wish });
        expect(body).toMatchObject(reason);
      }
    };
    await allowKeys(1);
    await refused({}, { errorCode: 'E0043R', reason: 'registration.tooManyKeys' });
    await allowKeys(2);
    await refused({ algorithms: ['RS1'] }, { errorCode: 'E0001R' });
    expect((await gina.beginRegistration(username, next)).status).toBe(200);
  });

  it('an invitation ends after ten wrong user names and does not reveal its user (E0043R)', async () => {
    const { code } = await issue('heidi');
    expect((await look(code)).text).not.toContain('heidi');
    for (let n = 0; n < 10; n += 1) {
      const { body } = await look(code);
      expect(body['state']).toBe('open');
      const answer = await newUser().beginRegistration(`guess-${n}`, { ticket: code });
      expectRefusal(answer, 'E0043R');
      expect(answer.text).not.toContain('heidi');
    }
    expect((await look(code)).body).toMatchObject({ state: 'locked' });
    expectRefusal(await newUser().beginRegistration('heidi', { ticket: code }), 'E0043R');
  });

  it('an invitation answers ten of 30 parallel guesses of its user, and then locks', async () => {
    const { code } = await issue('hugo');
    const guess = (_: unknown, n: number) =>
      newUser().beginRegistration(`guess-${n}`, { ticket: code });
    const guesses = await Promise.all(Array.from({ length: 30 }, guess));
    const reasons = guesses.map(({ body }) => body['reason']);
    expect(reasons.filter((reason) => reason === 'invitation.otherName')).toHaveLength(10);
    expect(reasons.filter((reason) => reason === 'invitation.locked')).toHaveLength(20);
    const right = await newUser().beginRegistration('hugo', { ticket: code });
    expect(right.body['reason']).toBe('invitation.locked');
  });

  it('the event of a refused invitation gives the reason to the help desk', async () => {
    const { code } = await issue('hanna');
    const reasonFor = async (username: string, ticket: string) => {
      const { body } = await newUser().beginRegistration(username, { ticket });
      await server.get(RefusalLog).flush();
      const events = await adminClient(server.url).get(
        `/userapi/events?requestId=${String(body['requestId'])}`,
      );
      const [{ errorCode, detail }] = events.body['events'] as [Record<string, string>];
      return plainText('en', explain(errorCode ?? null, detail).reason as Phrase);
    };
    expect(await reasonFor('Hanna', code)).toBe('The invitation is for another user name');
    expect(await reasonFor('hanna', 'x'.repeat(22))).toMatch(/^The link .* has ended$/);
  });

  it('an invitation expires, except for a registration that has already begun', async () => {
    const { code } = await issue('ivan', { ttl: 30 });
    const ivan = newUser();
    const begun = await ivan.beginRegistration('ivan', { ticket: code });
    server.clock.advance(31_000);
    expect((await look(code)).body).toMatchObject({ state: 'expired' });
    expectRefusal(await newUser().beginRegistration('ivan', { ticket: code }), 'E0043R');
    expect(await ivan.completeRegistration(ivan.create(begun))).toMatchObject(ok);
  });

  it('an invitation is listed with its state and can be revoked, even during a registration', async () => {
    const { code, invitation } = await issue('judy');
    expect(await listed('judy')).toMatchObject([
      { id: invitation.id, state: 'open', issuedBy: 'admin', keys: 0 },
    ]);
    const judy = newUser();
    const begun = await judy.beginRegistration('judy', { ticket: code });
    expect(await revoke(invitation.id)).toMatchObject({
      status: 200,
      body: { invitation: { state: 'revoked' } },
    });
    expectRefusal(await judy.completeRegistration(judy.create(begun)), 'E0043R');
    expectRefusal(await newUser().beginRegistration('judy', { ticket: code }), 'E0043R');
    expectRefusal(await revoke(invitation.id), 'E0045R', 400);
    expectRefusal(await revoke('bm90aGluZw'), 'E0044R', 404);
    expect(await listed('judy')).toMatchObject([{ state: 'revoked' }]);
    expect(await trail('judy')).toContain('admin invitation.revoke ok');
  });

  it.each(['one by one', 'all together'])(
    'revoking invitations %s just after they expire ends a pending registration (E0043R)',
    async (how) => {
      const username = `nora ${how}`;
      const issued = await issueBriefly(username);
      server.clock.advance(50_000);
      const nora = newUser();
      const begun = await nora.beginRegistration(username, { ticket: issued.code });
      server.clock.advance(15_000);
      if (how === 'one by one') {
        const id = issued.invitation.id.toString('base64url');
        expect((await revoke(id)).status).toBe(200);
      } else {
        await revokeAll(username);
      }
      expectRefusal(await nora.completeRegistration(nora.create(begun)), 'E0043R');
    },
  );

  it('revokeAll revokes all 201 invitations of a user, although its detail lists only 200', async () => {
    const rp = relyingPartyOf(server, 'localhost');
    const client = newUser();
    // The clock stands: nothing expires, however long it takes to issue so many.
    server.clock.standAt(Date.now());
    const { code } = await issue('many');
    for (let n = 1; n < 10; n += 1) await client.beginRegistration('many', { ticket: code });
    const last = await client.beginRegistration('many', { ticket: code });
    for (let n = 0; n < 200; n += 1) await issueBriefly('many');
    await revokeAll('many');
    const { body } = await adminClient(server.url).get(
      '/userapi/audit?action=invitation.revoke&target=many',
    );
    const [{ detail }] = body['entries'] as [{ detail: unknown }];
    expect(detail).toEqual({
      invitations: expect.stringMatching(/^([\w-]{22} ){199}[\w-]{22}$/) as string,
      further: 1,
    });
    expect(await server.get(Invitations).findActive(rp, 'many')).toEqual([]);
    expectRefusal(await client.completeRegistration(client.create(last)), 'E0043R');
    server.clock.goOn();
  });

  it('an invitation registers no key for a user who was erased in the meantime (E0043R)', async () => {
    const { code } = await issue('jack');
    const jack = newUser();
    const begun = await jack.beginRegistration('jack', { ticket: code });
    const rp = relyingPartyOf(server, 'localhost');
    const erased = { name: 'jack', pseudonym: 'erased-1', userId: Buffer.alloc(16) };
    const always = { since: -1, until: Number.MAX_SAFE_INTEGER };
    await server.get(Invitations).forget(rp, { ...erased, ...always });
    expectRefusal(await jack.completeRegistration(jack.create(begun)), 'E0043R');
  });

  it('an invitation leads on to an address of the relying party, not to a pattern of origins', async () => {
    const { code } = await issue('ona');
    expect((await look(code)).body).not.toHaveProperty('continueTo');
    const origins = ['https://*.patterns.example', 'https://patterns.example'];
    const relyingParty = 'patterns.example';
    const enrolmentUrl = 'https://patterns.example/enrol';
    await server.addRelyingParty('patterns', { domain: relyingParty, origins, enrolmentUrl });
    const there = await issue('ona', { relyingParty });
    expect((await look(there.code, relyingParty)).body).toMatchObject({ continueTo: origins[1] });
  });

  it('the code of an invitation is unknown at another relying party (E0044R, E0043R)', async () => {
    const { code } = await issue('kim');
    expectRefusal(await look(code, 'acme.example'), 'E0044R', 404);
    const settings = { relyingParty: 'acme.example' };
    const there = new FidoClient(server.url, settings);
    expectRefusal(await there.beginRegistration('kim', { ticket: code }), 'E0043R');
    expectRefusal(await look('A'.repeat(22)), 'E0044R', 404);
    expectRefusal(await look(''), 'E0044R', 404);
    expectRefusal(await newUser().post('/fidoapi/invitation', {}), 'E0001R');
  });

  it('an application key needs the permission "tickets" to issue and read invitations (E0043R)', async () => {
    const wish = { username: 'lea', relyingParty: 'localhost' };
    const { secret } = await issueKey(server.url, { tenant: 'default', scopes: ['tickets'] });
    const backend = keyClient(server.url, secret, 'localhost');
    const issued = await backend.post(INVITATIONS, wish);
    expect(issued.status).toBe(201);
    expect((await backend.get(`${INVITATIONS}?username=lea`)).body['invitations']).toHaveLength(1);
    const { id } = issued.body['invitation'] as { id: string };
    const one = await backend.get(`${INVITATIONS}/${id}`);
    expect(one).toMatchObject({ status: 200, body: { invitation: { id, state: 'open' } } });
    expect(one.text).not.toContain(String(issued.body['code']));
    const acme = { 'x-servicefido-relyingparty': 'acme.example' };
    const elsewhere = await adminClient(server.url).get(`${INVITATIONS}/${id}`, acme);
    expectRefusal(elsewhere, 'E0044R', 404);
    const other = await issueKey(server.url, { tenant: 'default', scopes: ['ceremonies'] });
    const powerless = keyClient(server.url, other.secret);
    expectRefusal(await powerless.post(INVITATIONS, wish), 'E0043R');
    expectRefusal(await powerless.get(`${INVITATIONS}/${id}`), 'E0043R');
  });

  function send(wish: object) {
    return adminClient(server.url).post(INVITATIONS, { relyingParty: 'localhost', ...wish });
  }

  async function issue(username: string, wish: object = {}) {
    const { status, body } = await send({ username, ...wish });
    expect([status, body.errorMessage]).toEqual([201, '']);
    return body as { url: string; code: string; invitation: { id: string } };
  }

  /** Issues a link to `username` that is valid for a minute, without HTTP. */
  function issueBriefly(username: string) {
    return server
      .get(InvitationIssue)
      .issue(changingCall(server, 'invitation.issue'), relyingPartyOf(server, 'localhost'), {
        username,
        ttl: 60,
        minKeys: 1,
        issuer: OPERATOR_ACCOUNT,
        origin: server.url,
        linking: 'none',
      });
  }

  function revokeAll(username: string) {
    return server
      .get(InvitationIssue)
      .revokeAll(
        changingCall(server, 'invitation.revoke'),
        relyingPartyOf(server, 'localhost'),
        username,
      );
  }

  async function allowKeys(maxCredentials: number) {
    const path = '/tenantapi/tenants/acme/relying-parties/acme.example';
    const answer = await adminClient(server.url).patch(path, { policy: { maxCredentials } });
    expect(answer.status).toBe(200);
  }

  function look(code: string, relyingParty = 'localhost') {
    return new FidoClient(server.url, { relyingParty }).post('/fidoapi/invitation', { code });
  }

  function revoke(id: string) {
    return adminClient(server.url).send(`${INVITATIONS}/${id}`, {
      method: 'DELETE',
      headers: { 'x-servicefido-relyingparty': 'localhost' },
    });
  }

  async function listed(username: string) {
    const headers = { 'x-servicefido-relyingparty': 'localhost' };
    const { body } = await adminClient(server.url).get(
      `${INVITATIONS}?username=${username}`,
      headers,
    );
    return body['invitations'] as Record<string, unknown>[];
  }

  async function trail(target: string) {
    const rows = await rowsOf<{ action: string; result: string; account: Buffer; target: Buffer }>(
      server,
      'SELECT action, result, account, target FROM audit ORDER BY seq',
    );
    return rows
      .filter((row) => row.target?.toString() === target)
      .map(({ action, result, account }) => `${account.toString()} ${action} ${result}`);
  }

  function withToken(client: FidoClient, username: string, more: { code: string; by: Answer }) {
    return client.post(
      client.paths.beginRegistration,
      { username, displayName: 'x', ticket: more.code },
      { authorization: `Bearer ${String(more.by.body['token'])}` },
    );
  }
});

describe('an invitation at a relying party with open registration', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ options: { jwt: false } });
  });
  afterAll(() => server.stop());

  it('an invitation is valid once and for its user only, even with open registration (E0043R)', async () => {
    const wish = { username: 'anna', relyingParty: 'localhost' };
    const { code } = (await adminClient(server.url).post(INVITATIONS, wish)).body;
    const anna = new FidoClient(server.url);
    expectRefusal(await anna.beginRegistration('berta', { ticket: code }), 'E0043R');
    expect(await anna.register('anna', { ticket: code })).toMatchObject(ok);
    expectRefusal(await anna.beginRegistration('anna', { ticket: code }), 'E0043R');
  });

  it('refuses an invitation for two keys with --jwt off (E0046R)', async () => {
    const wish = { username: 'anna', relyingParty: 'localhost', minKeys: 2 };
    expectRefusal(await adminClient(server.url).post(INVITATIONS, wish), 'E0046R', 404);
  });
});
