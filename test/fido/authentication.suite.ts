import { Database } from '../../src/platform/database/database.js';
import {
  SoftAuthenticator,
  type SoftAuthenticatorOptions,
} from '../../packages/testing/src/soft-authenticator.js';
import { FLAGS } from '../../packages/testing/src/structures.js';
import { registerWithId } from '../support/chosen-id.js';
import { adminClient, type Answer } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { disableCredentials } from '../support/refusals/disable.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

const handleOf = ({ authenticator }: FidoClient) => authenticator.credentials[0]?.userHandle ?? '';

/** The begin call's answer as a caller reads it who ignores allowCredentials. */
const choosingFreely = (begun: Answer): Answer => ({
  ...begun,
  body: { ...begun.body, allowCredentials: [] },
});

const ok = { status: 200, body: { status: 'ok', errorMessage: '' } };

describe.each(DATABASES)('sign-ins on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    await server.addRelyingParty('acme', { domain: 'acme.example' });
  });
  afterAll(() => server.stop());

  /** A user with one credential. */
  const registered = async (username: string, device: SoftAuthenticatorOptions = {}) => {
    const client = new FidoClient(server.url, { authenticator: new SoftAuthenticator(device) });
    expect(await client.register(username)).toMatchObject(ok);
    return client;
  };
  const idOf = ({ authenticator }: FidoClient) => authenticator.credentials[0]?.id ?? Buffer.of();
  /** A column of the credential that a client has. */
  const stored = async (client: FidoClient, column: string) => {
    const sql = `SELECT ${column} AS value FROM credentials WHERE credential_id = ?`;
    const [row] = await rowsOf<{ value: unknown }>(server, sql, idOf(client));
    return row?.value;
  };

  it('a sign-in answers with exactly the documented members (WebAuthn L3 §7.2 step 25)', async () => {
    const client = await registered('anna');
    expect((await client.signIn('anna')).body).toEqual({
      status: 'ok',
      errorMessage: '',
      username: 'anna',
      displayName: 'anna',
      credentialId: idOf(client).toString('base64url'),
      aaguid: '5e1f1d0a-7e57-4000-8000-0000000000fd',
      userVerified: true,
      signCount: 2,
      backedUp: false,
      token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      signals: {
        rpId: 'localhost',
        userId: client.authenticator.credentials[0]?.userHandle,
        allAcceptedCredentialIds: [idOf(client).toString('base64url')],
        name: 'anna',
        displayName: 'anna',
      },
    });
  });

  it('a user with two authenticators can sign in with either of them', async () => {
    const first = await registered('ben');
    const second = await registered('ben');
    for (const client of [second, first, second]) {
      expect(await client.signIn('ben')).toMatchObject(ok);
    }
  });

  it.each([
    ['that of the user', undefined],
    ['absent', null],
    ['empty', ''],
  ])(
    'accepts an assertion whose user handle is %s (WebAuthn L3 §7.2 step 6)',
    async (_, userHandle) => {
      const client = await registered('carl');
      const tweaks = userHandle === undefined ? {} : { userHandle };
      expect(await client.signIn('carl', tweaks)).toMatchObject(ok);
    },
  );

  it('accepts an assertion whose user handle is null', async () => {
    const client = await registered('carl');
    const body = client.assert(await client.beginAuthentication('carl'), { userHandle: null });
    const response = { ...body.response, userHandle: null };
    expect(await client.completeAuthentication({ ...body, response })).toMatchObject(ok);
  });

  it.each([
    ['of the signer', 'signer'],
    ['of the owner', 'owner'],
    ['missing', undefined],
  ] as const)(
    'refuses an assertion by another user’s key, with the user handle %s (E0033R, WebAuthn L3 §7.2 step 6)',
    async (_, whose) => {
      const users = { signer: await registered('mallory'), owner: await registered('dana') };
      const { signer } = users;
      const begun = await signer.beginAuthentication('dana');
      const userHandle = whose === undefined ? null : handleOf(users[whose]);
      const body = signer.assert(choosingFreely(begun), { userHandle });
      const before = await server.snapshot();
      expectRefusal(await signer.completeAuthentication(body), 'E0033R');
      expect(await server.snapshot()).toBe(before);
    },
  );

  it('refuses a key that was registered after the begin call (E0033R, WebAuthn L3 §7.2 step 5)', async () => {
    const first = await registered('emma');
    const begun = await first.beginAuthentication('emma');
    const second = await registered('emma');
    const body = second.assert(choosingFreely(begun));
    expectRefusal(await first.completeAuthentication(body), 'E0033R');
  });

  it('refuses a key disabled after the begin call, and accepts it once enabled (E0034R)', async () => {
    const client = await registered('finn');
    const begun = await client.beginAuthentication('finn');
    await disableCredentials(server, client.authenticator);
    const before = await server.snapshot();
    expectRefusal(await client.completeAuthentication(client.assert(begun)), 'E0034R');
    expect(await server.snapshot()).toBe(before);
    const sql = 'UPDATE credentials SET enabled = 1 WHERE credential_id = ?';
    await server.get(Database).commit([{ sql, params: [idOf(client)] }]);
    expect(await client.signIn('finn')).toMatchObject(ok);
  });

  it('refuses the old key of a user who was deleted and registered again (E0033R)', async () => {
    const old = await registered('gina');
    const begun = await old.beginAuthentication('gina');
    const name = Buffer.from('gina');
    await server.get(Database).commit([
      {
        sql: 'DELETE FROM credentials WHERE credential_id = ?',
        params: [idOf(old)],
      },
      { sql: 'DELETE FROM users WHERE username = ?', params: [name] },
    ]);
    expectRefusal(await old.completeAuthentication(old.assert(begun)), 'E0033R');
    const anew = await registered('gina');
    expect(handleOf(anew)).not.toBe(handleOf(old));
    const body = old.assert(choosingFreely(await old.beginAuthentication('gina')));
    expectRefusal(await old.completeAuthentication(body), 'E0033R');
  });

  describe.each([
    ['a good signature', {}],
    ['a wrong signature', { signature: (bytes: Buffer) => bytes.fill(1, bytes.length - 4) }],
  ])('an assertion by a key that signed in before, with %s', (signature, tweaks) => {
    it.each([
      ['disabled', 'UPDATE credentials SET enabled = 0 WHERE credential_id = ?', 'E0034R'],
      ['deleted', 'DELETE FROM credentials WHERE credential_id = ?', 'E0033R'],
    ] as const)(
      'refuses a key that another program %s after the begin call',
      async (change, sql, code) => {
        const username = `${change} ${signature}`;
        const client = await registered(username);
        expect(await client.signIn(username)).toMatchObject(ok);
        const begun = await client.beginAuthentication(username);
        await server.get(Database).commit([{ sql, params: [idOf(client)], mustChange: true }]);
        const before = await server.snapshot();
        expectRefusal(await client.completeAuthentication(client.assert(begun, tweaks)), code);
        expect(await server.snapshot()).toBe(before);
      },
    );
  });

  it('accepts only the new public key of a credential ID that was registered again', async () => {
    const old = await registered('irma');
    expect(await old.signIn('irma')).toMatchObject(ok);
    const id = idOf(old);
    const sql = 'DELETE FROM credentials WHERE credential_id = ?';
    await server.get(Database).commit([{ sql, params: [id] }]);
    const anew = new FidoClient(server.url);
    expect(await registerWithId(anew, 'irma', id)).toMatchObject(ok);
    expectRefusal(await old.signIn('irma', { signCount: 9, userHandle: null }), 'E0032R');
    expect(await anew.signIn('irma', { signCount: 8 })).toMatchObject(ok);
    expectRefusal(await old.signIn('irma', { signCount: 9, userHandle: null }), 'E0032R');
  });

  it('refuses a key of another relying party (E0033R)', async () => {
    const here = await registered('hugo');
    const settings = { relyingParty: 'acme.example' };
    const thief = new FidoClient(server.url, { ...settings, authenticator: here.authenticator });
    expect(await thief.beginAuthentication('hugo')).toMatchObject({ status: 403 });
    await new FidoClient(server.url, settings).register('hugo');
    const begun = await thief.beginAuthentication('hugo');
    const local = { allowCredentials: [], rpId: 'localhost' };
    const body = thief.assert({ ...begun, body: { ...begun.body, ...local } });
    expect(body.id).toBe(idOf(here).toString('base64url'));
    expectRefusal(await thief.completeAuthentication(body), 'E0033R');
  });

  describe('the signature counter (WebAuthn L3 §7.2 step 22)', () => {
    const counts = async (client: FidoClient, username: string, signCounts: number[]) => {
      const statuses = [];
      for (const signCount of signCounts) {
        statuses.push((await client.signIn(username, { signCount })).status);
      }
      return statuses;
    };

    it.each([
      ['an unchanged counter', [5, 5], [200, 401], 5],
      ['a lower and then a higher counter', [5, 4, 6], [200, 401, 200], 6],
      ['a counter that falls to 0', [5, 0], [200, 401], 5],
      ['a counter that jumps', [5, 0x80000005], [200, 200], 0x80000005],
      ['the highest counter and then 1', [0xffffffff, 1], [200, 401], 0xffffffff],
    ])(
      'answers sign-ins with %s, %j, with the statuses %j',
      async (title, signCounts, statuses, last) => {
        const client = await registered(`ines ${title}`);
        expect(await counts(client, `ines ${title}`, signCounts)).toEqual(statuses);
        expect(Number(await stored(client, 'sign_count'))).toBe(last);
      },
    );

    it('accepts a counter that is always 0, as of an authenticator without a counter', async () => {
      const client = await registered('jana', { counterStep: 0 });
      expect(await counts(client, 'jana', [0, 0, 0])).toEqual([200, 200, 200]);
    });

    it.each([
      ['reject', [200, 401, 200], 6, true],
      ['warn', [200, 200, 200], 6, true],
      ['disable', [200, 401, 403], 5, false],
    ])(
      'the counter policy "%s" answers sign-ins with the counters 5, 3 and 6 with the statuses %j',
      async (counter, statuses, last, enabled) => {
        const path = '/tenantapi/tenants/acme/relying-parties/acme.example';
        const changed = await adminClient(server.url).patch(path, { policy: { counter } });
        expect(changed.status).toBe(200);
        const settings = { relyingParty: 'acme.example' };
        const client = new FidoClient(server.url, settings);
        await client.register(`kim-${counter}`);
        expect(await counts(client, `kim-${counter}`, [5, 3, 6])).toEqual(statuses);
        expect(Number(await stored(client, 'sign_count'))).toBe(last);
        expect(Boolean(await stored(client, 'enabled'))).toBe(enabled);
        const alarms = (await server.snapshot()).split('clone-alarm').length - 1;
        expect(alarms).toBeGreaterThan(0);
      },
    );
  });

  it('a sign-in stores a changed BS flag if BE is set (WebAuthn L3 §7.2 step 24)', async () => {
    const client = await registered('lou', { backupEligible: true });
    const backedUp = await client.signIn('lou', { flags: (flags) => flags | FLAGS.BS });
    expect(backedUp).toMatchObject({ body: { backedUp: true } });
    expect(Boolean(await stored(client, 'backed_up'))).toBe(true);
  });
});
