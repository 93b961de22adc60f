import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { decodeJwt } from 'jose';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { TenantRemoval } from '../../src/tenancy/changes/tenant-removal.js';
import { AdminClient } from '../support/admin-client.js';
import { issueKey } from '../support/application-keys.js';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { Backend } from '../support/backend.js';
import { DATABASES } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { BOUNDARY, filePart, multipart } from '../support/list-upload.js';
import { countOf, relyingPartyOf, rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';
import {
  foreignKey,
  jsonLinesOf,
  linesOf,
  postImport,
  type ForeignKey,
} from '../support/transfer.js';

const NOTHING = {
  users: { created: 0, present: 0, refused: 0, withoutKeys: 0 },
  keys: { created: 0, present: 0, refused: 0, secondFactors: 0 },
};

describe.each(DATABASES)('the transfer of users and keys between servers, on %s', (on) => {
  let server: TestServer;
  let places = 0;
  beforeAll(async () => {
    server = await TestServer.start({ on });
  });
  afterAll(() => server.stop());

  describe('an export that is imported into an empty server', () => {
    const state = `SELECT u.username, u.display_name, u.user_handle, u.subject, u.created_at,
        c.credential_id, c.public_key, c.algorithm, c.sign_count, c.aaguid, c.device_name, c.keypair,
        c.transports, c.attestation_format, c.attestation_type, c.user_verified, c.uv_initialized,
        c.made_under_authority, c.backup_eligible,
        c.backed_up, c.enabled, c.registered_at, c.last_used_at,
        c.registration_flags, c.attestation_asked, c.resident_key,
        p.evidence, p.certificates, p.authorities, p.proof
      FROM users u LEFT JOIN credentials c ON c.user_id = u.id LEFT JOIN attestations p ON p.id = c.id
      WHERE u.relying_party_id = ? ORDER BY u.username, c.credential_id`;

    it('lets every user sign in again, with the former counters and states', async () => {
      const { domain, admin } = await place();
      const { secret } = await issueKey(server.url, { tenant: 'movers', scopes: ['ceremonies'] });
      const origin = `https://${domain}`;
      const shop = new Backend(server.url, secret, { relyingParty: domain, origin });
      await shop.register('anna', { userId: 'customer-1', keypair: { name: 'Anna’s key' } });
      const second = newUser(domain, new SoftAuthenticator({ backupEligible: true }));
      const begun = await shop.beginRegistration('anna');
      await shop.completeRegistration(second.create(begun));
      const ben = newUser(domain, new SoftAuthenticator({ attestation: 'packed' }));
      await ben.register('ben', { displayName: 'Ben ❤️', attestation: 'direct' });
      for (let n = 0; n < 3; n += 1) await ben.signIn('ben');
      await admin.manage({ type: 'disableall', filter: 'ben' });
      const before = await rowsOf(server, state, relyingPartyOf(server, domain).id);
      const exported = await admin.get(`/userapi/export?relyingParty=${domain}`);
      expect(exported.status).toBe(200);
      expect(exported.headers.get('content-type')).toMatch(/^application\/x-ndjson/);

      const tenancy = server.get(TenancyService);
      await tenancy.removeRelyingParty(server.call, 'movers', domain);
      await server.get(TenantRemoval).catchUp();
      await tenancy.addRelyingParty(server.call, 'movers', { domain });
      expect((await ben.signIn('ben')).status).toBe(403);

      const tried = await postImport(admin, exported.text, { dryRun: 'yes' });
      const moved = { records: 2, users: { created: 2 }, keys: { created: 3, refused: 0 } };
      expect(tried).toMatchObject({ status: 200, body: { ...moved, dryRun: true, refusals: [] } });
      const misspelt = await postImport(admin, exported.text, { dryrun: 'yes' });
      expect(misspelt).toMatchObject({ status: 400, body: { reason: 'parameters.dryRun' } });
      expect(await rowsOf(server, state, relyingPartyOf(server, domain).id)).toEqual([]);

      const imported = await postImport(admin, exported.text);
      expect(imported).toMatchObject({ status: 200, body: { ...moved, dryRun: false } });
      expect(await rowsOf(server, state, relyingPartyOf(server, domain).id)).toEqual(before);
      const found = await admin.get('/userapi/users?search=BEN');
      expect(found.body).toMatchObject({ users: [{ username: 'ben' }] });

      const back = await shop.signIn('anna');
      expect(back).toMatchObject({ status: 200, body: { username: 'anna' } });
      expect(decodeJwt(String(back.body['token']))['user_id']).toBe('customer-1');
      expect((await second.signIn('anna')).status).toBe(200);
      expect((await ben.signIn('ben')).status).toBe(403);
      await admin.manage({ type: 'enableall', filter: 'ben' });
      expect(await ben.signIn('ben')).toMatchObject({ status: 200, body: { signCount: 5 } });
      const clone = await ben.signIn('ben', { signCount: 3 });
      expect(clone).toMatchObject({ status: 401, body: { errorCode: 'E0035R' } });

      const again = await postImport(admin, exported.text);
      expect(again.body).toMatchObject({
        users: { ...NOTHING.users, present: 2 },
        keys: { ...NOTHING.keys, present: 3 },
      });
      expect(await ben.signIn('ben')).toMatchObject({ status: 200 });
    });

    it('an export contains the announced users and keys, and no sessions', async () => {
      const { domain, admin } = await place();
      const anna = newUser(domain);
      await anna.register('anna', { keypair: { name: 'Blue' } });
      await anna.signIn('anna');
      const lines = linesOf(await admin.get('/userapi/export'));
      const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string;
      const bytes = expect.stringMatching(/^[\w-]{20,}$/) as string;
      expect(lines).toEqual([
        {
          type: 'header',
          format: 'servicefido-users',
          version: 1,
          relyingParty: domain,
          tenant: 'movers',
          exportedAt: time,
        },
        {
          type: 'user',
          username: 'anna',
          displayName: 'anna',
          userHandle: anna.authenticator.credentials[0]?.userHandle,
          createdAt: time,
          keys: [
            {
              credentialId: anna.keyId,
              publicKey: bytes,
              algorithm: -7,
              signCount: 2,
              enabled: true,
              deviceName: 'Blue',
              keypair: { name: 'Blue' },
              transports: ['internal'],
              aaguid: '5e1f1d0a-7e57-4000-8000-0000000000fd',
              attestation: { format: 'none', type: 'none', trusted: false },
              registration: { flags: 0x45, attestationAsked: false, residentKey: null },
              userVerified: true,
              uvInitialized: true,
              madeUnderAuthority: false,
              backupEligible: false,
              backedUp: false,
              createdAt: time,
              lastUsedAt: time,
              importedFrom: null,
            },
          ],
        },
        { type: 'end', users: 1, keys: 1 },
      ]);
    });

    it.each([
      [undefined, 'no', false],
      [undefined, 'yes', true],
      [true, 'no', true],
      [false, 'yes', false],
    ])(
      'counts user verification with uvInitialized %s in the file and assumeVerified=%s: %s',
      async (uvInitialized, assumeVerified, counts) => {
        const { domain, admin } = await place();
        const key = keyFor(domain);
        const user = userOf('anna', [key]);
        const keys = user.keys.map((one) => ({ ...one, userVerified: true, uvInitialized }));
        const answer = await postImport(admin, fileOf(domain, { ...user, keys }), {
          assumeVerified,
        });
        expect(answer).toMatchObject({ status: 200, body: { keys: { created: 1 } } });
        const trail = 'SELECT detail FROM audit WHERE relying_party = ?';
        const [row] = await rowsOf<{ detail: string }>(server, trail, Buffer.from(domain));
        expect(String(row?.detail).includes('"assumeVerified":true')).toBe(
          assumeVerified === 'yes',
        );
        for (let n = 0; n < 2; n += 1) {
          const { body } = await newUser(domain, key.authenticator).signIn('anna');
          expect(body).toMatchObject({ userVerified: true });
          expect((decodeJwt(String(body['token']))['amr'] as string[]).includes('mfa')).toBe(
            counts,
          );
        }
      },
    );

    it('leaves an audit row for each part that is stored before the last, with its figures', async () => {
      const { domain, admin } = await place();
      const users = Array.from({ length: 250 }, (_, n) => userOf(`user-${n}`, []));
      const file = fileOf(domain, userOf('anna', [keyFor(domain)]), ...users);
      await postImport(admin, file);
      await postImport(admin, file);
      const trail = 'SELECT action, detail FROM audit WHERE relying_party = ? ORDER BY seq';
      const rows = await rowsOf<{ action: string; detail: string }>(
        server,
        trail,
        Buffer.from(domain),
      );
      const figures = { format: 'servicefido', refused: 0 };
      expect(rows.map(({ action, detail }) => [action, JSON.parse(detail)])).toEqual([
        ['users.import.part', { users: 100, keys: 1 }],
        ['users.import.part', { users: 100, keys: 0 }],
        ['users.import', { ...figures, records: 251, users: 251, keys: 1 }],
        ['users.import', { ...figures, records: 251, users: 0, keys: 0 }],
      ]);
    });

    it('leaves audit rows, and events that add up to the stock', async () => {
      const { domain, admin } = await place();
      const file = fileOf(
        domain,
        userOf('anna', [keyFor(domain)]),
        userOf('bert', [keyFor(domain)], { enabled: false }),
      );
      await postImport(admin, file);
      await admin.get('/userapi/export');
      const trail = 'SELECT action, result FROM audit WHERE relying_party = ? ORDER BY seq';
      expect(await rowsOf(server, trail, Buffer.from(domain))).toEqual([
        { action: 'users.import', result: 'ok' },
        { action: 'users.export', result: 'ok' },
      ]);
      const german = { accept: 'text/html', 'accept-language': 'de' };
      const page = await admin.get('/userapi/audit?action=users.import', german);
      expect(page.text).toContain('<dt>Datensätze</dt><dd>2</dd>');
      expect(page.text).toContain('<dt>abgelehnt</dt><dd>0</dd>');
      const events = await admin.get('/userapi/events');
      const kinds = (events.body['events'] as { kind: string }[]).map(({ kind }) => kind);
      expect(kinds.sort()).toEqual(['imported', 'imported', 'user-created', 'user-created']);
      const invoice = await admin.get('/userapi/invoice');
      const text = JSON.stringify(invoice.body);
      const [, figures = ''] =
        new RegExp(`"${domain}",("users".*?"activeUsers":\\d+)`).exec(text) ?? [];
      expect(JSON.parse(`{${figures}}`)).toEqual({
        users: 2,
        credentials: { enabled: 2, disabled: 0 },
        registrations: 0,
        authentications: 0,
        activeUsers: 0,
      });
    });
  });

  describe('an import from another server', () => {
    const signsIn = async (domain: string, username: string, { authenticator }: ForeignKey) => {
      const answer = await newUser(domain, authenticator).signIn(username);
      expect(answer).toMatchObject({ status: 200, body: { username } });
      return answer;
    };

    it('reads a Keycloak realm, whose user handles are the 36 characters of the IDs', async () => {
      const { domain, admin } = await place();
      const ids = [randomUUID(), randomUUID(), randomUUID()] as const;
      const keys = ids.map((id, n) =>
        foreignKey({
          rpId: domain,
          handle: Buffer.from(id),
          signCount: 7,
          backupEligible: n === 0,
        }),
      );
      const user = (n: number, more: object = {}) => ({
        id: ids[n] ?? randomUUID(),
        username: `user-${n}`,
        firstName: 'Ulla',
        lastName: `No. ${n}`,
        createdTimestamp: 1_711_900_000_000,
        enabled: true,
        credentials: [
          { type: 'password', secretData: '{}', credentialData: '{}' },
          {
            type: n === 0 ? 'webauthn-passwordless' : 'webauthn',
            userLabel: 'Blue key',
            createdDate: 1_711_900_000_001,
            secretData: '{}',
            credentialData: JSON.stringify({
              aaguid: '00000000-0000-0000-0000-000000000000',
              credentialId: keys[n]?.credential.id.toString('base64'),
              counter: 7,
              credentialPublicKey: keys[n]?.publicKey.toString('base64url'),
              attestationStatementFormat: 'packed',
              transports: ['usb', 'cable'],
            }),
          },
        ],
        ...more,
      });
      const realm = {
        realm: 'acme',
        webAuthnPolicyRpId: '',
        webAuthnPolicyPasswordlessRpId: domain,
        roles: { realm: [{ name: 'users', attributes: { users: [1] } }] },
        users: [user(0), user(1), user(2, { enabled: false }), user(3, { credentials: [] })],
        scopeMappings: [],
      };
      const answer = await postImport(admin, JSON.stringify(realm, null, 2), {
        format: 'keycloak',
      });
      expect(answer.body).toMatchObject({
        records: 4,
        users: { created: 3, withoutKeys: 1, refused: 0 },
        keys: { created: 3 },
        refusals: [],
      });
      await signsIn(domain, 'user-0', keys[0] as ForeignKey);
      await signsIn(domain, 'user-1', keys[1] as ForeignKey);
      expect((await newUser(domain, keys[2]?.authenticator).signIn('user-2')).status).toBe(403);
      const [listed] = (await admin.manage({ filter: 'user-0' })).body['users'] as object[];
      expect(listed).toMatchObject({
        displayName: 'Ulla No. 0',
        createdAt: '2024-03-31T15:46:40.000Z',
        credentials: [{ deviceName: 'Blue key', transports: ['usb', 'hybrid'], signCount: 8 }],
      });
    });

    it('learns from the first sign-in whether a Keycloak key can be synced', async () => {
      const { domain, admin } = await place();
      const key = keyFor(domain, { backupEligible: true });
      const user = userOf('anna', [key]);
      const [line] = user.keys;
      await postImport(
        admin,
        fileOf(domain, { ...user, keys: [{ ...line, backupEligible: null }] }),
      );
      const eligible = async () =>
        (linesOf(await admin.get('/userapi/export'))[1]?.['keys'] as object[])[0];
      expect(await eligible()).toMatchObject({ backupEligible: null, importedFrom: 'servicefido' });
      await signsIn(domain, 'anna', key);
      expect(await eligible()).toMatchObject({ backupEligible: true });
      const changed = await newUser(domain, key.authenticator).signIn('anna', {
        flags: (flags) => flags & ~0x18,
      });
      expect(changed).toMatchObject({ status: 401, body: { errorCode: 'E0031R' } });
    });

    it('reads rows of SimpleWebAuthn keys with a handle each, as JSON and as CSV', async () => {
      const { domain, admin } = await place();
      const one = keyFor(domain);
      const two = keyFor(domain);
      const ben = keyFor(domain);
      const row = (username: string, { credential, publicKey }: ForeignKey, n: number) => ({
        username,
        id: credential.id.toString('base64url'),
        publicKey:
          n === 0 ? { type: 'Buffer', data: [...publicKey] } : publicKey.toString('base64'),
        webauthnUserID: credential.userHandle,
        counter: 0,
        deviceType: 'singleDevice',
        backedUp: false,
        transports: 'internal,hybrid',
      });
      const rows = [row('anna', one, 0), row('anna', two, 1)];
      const json = await postImport(admin, JSON.stringify(rows), { format: 'simplewebauthn' });
      expect(json.body).toMatchObject({ records: 1, keys: { created: 2 }, refusals: [] });
      const csv = [
        'username,cred_id,cred_public_key,webauthn_user_id,counter,device_type,backed_up,transports,created_at',
        `ben,${ben.credential.id.toString('base64url')},\\x${ben.publicKey.toString('hex')},` +
          `${ben.credential.userHandle},0,singleDevice,f,"{internal,hybrid}",2024-03-31 15:46:40.5+00`,
      ].join('\r\n');
      const table = await postImport(admin, csv, { format: 'simplewebauthn' });
      expect(table.body).toMatchObject({
        users: { created: 1 },
        keys: { created: 1 },
        refusals: [],
      });
      for (let n = 0; n < 2; n += 1) {
        await signsIn(domain, 'anna', one);
        await signsIn(domain, 'anna', two);
      }
      await signsIn(domain, 'ben', ben);
      const stranger = await newUser(domain, two.authenticator).signIn('anna', {
        userHandle: ben.credential.userHandle,
      });
      expect(stranger).toMatchObject({ status: 401, body: { errorCode: 'E0010R' } });
      const [, anna, other] = linesOf(await admin.get('/userapi/export'));
      expect(anna).toMatchObject({
        userHandle: one.credential.userHandle,
        furtherHandles: [two.credential.userHandle],
      });
      expect(other).toMatchObject({
        keys: [{ createdAt: '2024-03-31T15:46:40.500Z', transports: ['internal', 'hybrid'] }],
      });
      const again = await postImport(admin, JSON.stringify(rows), { format: 'simplewebauthn' });
      expect(again.body).toMatchObject({ users: { present: 1 }, keys: { created: 0, present: 2 } });
    });

    it('takes unknown transports back as they were exported', async () => {
      const { domain, admin } = await place();
      const transports = ['internal', 'cable', 'a,b[c]'];
      const own = userOf('anna', [keyFor(domain)]);
      const file = fileOf(domain, {
        ...own,
        keys: own.keys.map((key) => ({ ...key, transports: [...transports, 'not visible'] })),
      });
      expect((await postImport(admin, file)).body).toMatchObject({ keys: { created: 1 } });
      expect(linesOf(await admin.get('/userapi/export'))[1]).toMatchObject({
        keys: [{ transports }],
      });
    });

    it('reads Hanko users, whose handle is the UUID or the credential’s own', async () => {
      const { domain, admin } = await place();
      const id = randomUUID();
      const handle = Buffer.from(id.replaceAll('-', ''), 'hex');
      const own = foreignKey({ rpId: domain, handle, backupEligible: true });
      const other = foreignKey({ rpId: domain, handle: Buffer.from('their-own-id') });
      const credential = ({ credential: { id: key }, publicKey }: ForeignKey, more: object) => ({
        id: key.toString('base64url'),
        name: null,
        public_key: publicKey.toString('base64url'),
        attestation_type: 'none',
        aaguid: 'adce0002-35bc-c60a-648b-0b25f1f05503',
        sign_count: 0,
        created_at: '2024-03-31T15:46:40.651387237Z',
        transports: ['internal'],
        backup_state: false,
        ...more,
      });
      const users = [
        {
          user_id: id,
          emails: [
            { address: 'second@example.com', is_primary: false },
            { address: 'anna@example.com', is_primary: true },
          ],
          webauthn_credentials: [
            credential(own, { backup_eligible: true }),
            credential(other, { backup_eligible: false, user_handle: 'their-own-id' }),
          ],
        },
        { user_id: randomUUID(), username: 'no-key', emails: [] },
      ];
      const answer = await postImport(admin, JSON.stringify(users), { format: 'hanko' });
      expect(answer.body).toMatchObject({ users: { created: 1 }, keys: { created: 2 } });
      await signsIn(domain, 'anna@example.com', own);
      await signsIn(domain, 'anna@example.com', other);
      const [, anna] = linesOf(await admin.get('/userapi/export'));
      const handles = [own, other].map(({ credential: key }) => key.userHandle);
      expect(anna?.['furtherHandles']).toEqual(expect.arrayContaining(handles));
      expect(Buffer.from(String(anna?.['userHandle']), 'base64url')).toHaveLength(32);
    });

    describe.each(['simplewebauthn', 'hanko', 'keycloak', 'servicefido'])(
      'of the format %s',
      (format) => {
        const row = (username: string, id: string, key: ForeignKey) => {
          const { credential, publicKey } = key;
          const [bytes, cose] = [credential.id, publicKey].map((one) => one.toString('base64url'));
          const data = { credentialId: bytes, credentialPublicKey: cose };
          const credentials = [{ type: 'webauthn', credentialData: JSON.stringify(data) }];
          const webauthnUserID = credential.userHandle;
          return {
            simplewebauthn: { username, userId: id, webauthnUserID, id: bytes, publicKey: cose },
            hanko: { username, user_id: id, id: bytes, public_key: cose },
            keycloak: { username, id, credentials },
            servicefido: userOf(username, [key], { userId: id }),
          }[format] as { keys?: unknown };
        };
        const fileIn = (domain: string, rows: readonly { keys?: unknown }[]) => {
          if (format === 'servicefido') return fileOf(domain, ...rows);
          return JSON.stringify(format === 'keycloak' ? { users: rows } : rows);
        };

        it.each([0, 1, 150])(
          'refuses the second of two users of one name with %i records between them (E0001R)',
          async (between) => {
            const { domain, admin } = await place();
            const first = keyFor(domain);
            const second = keyFor(domain);
            const rows = [
              row('pat', randomUUID(), first),
              ...Array.from({ length: between }, (_, n) =>
                row(`user-${n}`, randomUUID(), keyFor(domain)),
              ),
              row('pat', randomUUID(), second),
            ];
            const answer = await postImport(admin, fileIn(domain, rows), { format });
            expect(answer.body).toMatchObject({
              users: { created: between + 1, refused: 1 },
              keys: { created: between + 1, refused: 1 },
              refusals: [{ username: 'pat', errorCode: 'E0001R' }],
            });
            const [pat] = (await admin.list()).filter(({ username }) => username === 'pat');
            expect(pat?.credentials).toMatchObject([
              { credentialId: first.credential.id.toString('base64url') },
            ]);
          },
        );

        it('refuses a second name with the ID of another user (E0001R)', async () => {
          const { domain, admin } = await place();
          const id = randomUUID();
          const rows = ['pat', 'kim'].map((name) => row(name, id, keyFor(domain)));
          const answer = await postImport(admin, fileIn(domain, rows), { format });
          expect(answer.body).toMatchObject({
            users: { created: 1, refused: 1 },
            refusals: [{ username: 'kim', errorCode: 'E0001R' }],
          });
        });
      },
    );

    it.each(['userHandleText', 'internal_user_id'])(
      'tells SimpleWebAuthn users of one name apart by %s',
      async (column) => {
        const { domain, admin } = await place();
        const rows = ['1', '2', '2'].map((id) => {
          const { credential, publicKey } = keyFor(domain);
          return {
            username: 'pat',
            [column]: id,
            ...(column !== 'userHandleText' && { webauthnUserID: credential.userHandle }),
            id: credential.id.toString('base64url'),
            publicKey: publicKey.toString('base64url'),
          };
        });
        const answer = await postImport(admin, JSON.stringify(rows), { format: 'simplewebauthn' });
        expect(answer.body).toMatchObject({
          records: 2,
          users: { created: 1, refused: 1 },
          keys: { created: 1, refused: 2 },
        });
      },
    );

    describe('with several records of one new user', () => {
      const rowOf = (
        username: string,
        { credential, publicKey }: ForeignKey,
        more: object = {},
      ) => ({
        username,
        webauthnUserID: credential.userHandle,
        id: credential.id.toString('base64url'),
        publicKey: publicKey.toString('base64url'),
        ...more,
      });
      const keysOf = (rpId: string, { length }: { length: number }) => {
        const handle = randomBytes(32);
        return Array.from({ length }, () => foreignKey({ rpId, handle }));
      };

      it('stores the user once, with the keys of all records, and with the data of the first', async () => {
        const { domain, admin } = await place();
        const [first, second] = keysOf(domain, { length: 2 }) as [ForeignKey, ForeignKey];
        const bert = keyFor(domain);
        const rows = [
          rowOf('anna', first, { displayName: 'Anna' }),
          rowOf('bert', bert),
          rowOf('anna', second, { displayName: 'Another', userId: 'customer-1' }),
          rowOf('carl', keyFor(domain), { userId: 'customer-1' }),
        ];
        const file = JSON.stringify(rows);
        const figures = {
          records: 4,
          users: { created: 3, present: 1, refused: 0 },
          keys: { created: 4, refused: 0 },
          refusals: [],
        };
        const tried = await postImport(admin, file, { format: 'simplewebauthn', dryRun: 'yes' });
        expect(tried).toMatchObject({ status: 200, body: figures });
        const answer = await postImport(admin, file, { format: 'simplewebauthn' });
        expect(answer).toMatchObject({ status: 200, body: figures });
        expect((await admin.list('anna'))[0]).toMatchObject({ displayName: 'Anna' });
        for (const key of [first, second]) await signsIn(domain, 'anna', key);
        await signsIn(domain, 'bert', bert);
        const events = await admin.get('/userapi/events?user=anna');
        const kinds = (events.body['events'] as { kind: string }[]).map(({ kind }) => kind);
        expect(kinds.filter((kind) => kind !== 'authentication').sort()).toEqual([
          'imported',
          'imported',
          'user-created',
        ]);
      });

      it('stores 102 successive rows of a user, of which two are refused', async () => {
        const { domain, admin } = await place();
        const rows = keysOf(domain, { length: 102 }).map((key, n) =>
          rowOf('anna', key, n < 2 ? { publicKey: 'AAAA' } : {}),
        );
        const answer = await postImport(admin, JSON.stringify(rows), { format: 'simplewebauthn' });
        expect(answer).toMatchObject({
          status: 200,
          body: { users: { created: 1, present: 1 }, keys: { created: 100, refused: 2 } },
        });
        expect((await admin.list('anna'))[0]?.credentials).toHaveLength(100);
      });

      it('counts the users of a part once in its audit row', async () => {
        const { domain, admin } = await place();
        const [first, second] = keysOf(domain, { length: 2 }) as [ForeignKey, ForeignKey];
        const rows = [
          rowOf('anna', first),
          ...Array.from({ length: 98 }, (_, n) => rowOf(`user-${n}`, keyFor(domain))),
          rowOf('anna', second),
          rowOf('bert', keyFor(domain)),
        ];
        await postImport(admin, JSON.stringify(rows), { format: 'simplewebauthn' });
        const trail =
          "SELECT detail FROM audit WHERE action = 'users.import.part' AND relying_party = ?";
        const [row] = await rowsOf<{ detail: string }>(server, trail, Buffer.from(domain));
        expect(JSON.parse(String(row?.detail))).toEqual({ users: 99, keys: 100 });
      });
    });

    it('refuses a user of the same name and handle with another userId, in one file or in two', async () => {
      const { domain, admin } = await place();
      const key = keyFor(domain);
      const more = { userHandle: key.credential.userHandle };
      const anna = userOf('anna', [key], { userId: 'customer-1' });
      const other = userOf('anna', [keyFor(domain)], { ...more, userId: 'customer-2' });
      const refusals = [{ username: 'anna', errorCode: 'E0001R', reason: 'import.userIdDiffers' }];
      const file = fileOf(domain, anna, other);
      const together = await postImport(admin, file);
      expect(together.body).toMatchObject({ keys: { created: 1, refused: 1 }, refusals });
      const apart = await postImport(admin, fileOf(domain, other));
      expect(apart.body).toMatchObject({ keys: { created: 0, refused: 1 }, refusals });
      const nameless = await postImport(admin, fileOf(domain, userOf('anna', [key])));
      expect(nameless.body).toMatchObject({ users: { present: 1 }, refusals: [] });
    });

    it('takes a handle that several keys of a user name once', async () => {
      const { domain, admin } = await place();
      const handle = Buffer.from('their-own-id');
      const keys = [foreignKey({ rpId: domain, handle }), foreignKey({ rpId: domain, handle })];
      const anna = {
        user_id: randomUUID(),
        username: 'anna',
        webauthn_credentials: keys.map(({ credential, publicKey }) => ({
          id: credential.id.toString('base64url'),
          public_key: publicKey.toString('base64url'),
          user_handle: 'their-own-id',
        })),
      };
      const answer = await postImport(admin, JSON.stringify([anna]), { format: 'hanko' });
      expect(answer).toMatchObject({
        status: 200,
        body: { users: { created: 1 }, keys: { created: 2 } },
      });
      for (const key of keys) await signsIn(domain, 'anna', key);

      const short = Buffer.from('short').toString('base64url');
      const bert = userOf('bert', [keyFor(domain)], {
        userHandle: short,
        furtherHandles: [short, short],
      });
      expect((await postImport(admin, fileOf(domain, bert))).body).toMatchObject({
        users: { created: 1 },
      });
    });

    it('leaves out and counts Hanko keys that were a second factor only, in users and in rows', async () => {
      const { domain, admin } = await place();
      const factor = keyFor(domain);
      const alone = keyFor(domain);
      const id = randomUUID();
      const credential = (
        { credential: { id: key }, publicKey }: ForeignKey,
        mfaOnly: unknown,
      ) => ({
        id: key.toString('base64url'),
        public_key: publicKey.toString('base64url'),
        user_handle: key.toString('hex').slice(0, 20),
        mfa_only: mfaOnly,
      });
      const users = [
        {
          user_id: id,
          username: 'anna',
          webauthn_credentials: [credential(factor, true), credential(alone, false)],
        },
        {
          user_id: randomUUID(),
          username: 'bert',
          webauthn_credentials: [credential(keyFor(domain), true)],
        },
      ];
      const imported = await postImport(admin, JSON.stringify(users), { format: 'hanko' });
      const counted = {
        users: { created: 1, present: 0, refused: 0, withoutKeys: 1 },
        keys: { created: 1, present: 0, refused: 0, secondFactors: 2 },
      };
      expect(imported.body).toMatchObject(counted);
      const handles = [credential(alone, false).user_handle].map((text) =>
        Buffer.from(text).toString('base64url'),
      );
      const [, anna] = linesOf(await admin.get('/userapi/export'));
      expect(anna?.['furtherHandles']).toEqual(expect.arrayContaining(handles));
      expect(anna?.['furtherHandles']).toHaveLength(2);
      const path = `/userapi/import?relyingParty=${domain}`;
      expect((await admin.get(path)).body).toMatchObject({ import: counted });

      const rows = ['t', 'false'].map((flag, n) => ({
        user_id: id,
        username: 'anna',
        ...credential([factor, alone][n] ?? alone, flag),
      }));
      const again = await postImport(admin, JSON.stringify(rows), { format: 'hanko' });
      expect(again.body).toMatchObject({
        records: 1,
        keys: { created: 0, present: 1, refused: 0, secondFactors: 1 },
      });
    });

    it('does not trust another server’s attestation: a token contains phr, never phrh', async () => {
      const { domain, admin } = await place();
      const key = keyFor(domain);
      const user = userOf('anna', [key]);
      const said = { format: 'packed', type: 'basic' };
      const attestation = { ...said, trusted: true, serialNumber: 'c0ffee' };
      await postImport(
        admin,
        fileOf(domain, { ...user, keys: [{ ...user.keys[0], attestation }] }),
      );
      const { body } = await signsIn(domain, 'anna', key);
      expect(decodeJwt(String(body['token']))['acr']).toBe('phr');
      const [, line] = linesOf(await admin.get('/userapi/export'));
      const [taken] = (line as { keys: { attestation: unknown }[] }).keys;
      expect(taken?.attestation).toEqual({ ...said, trusted: false });
    });
  });

  describe('the refusal of an import, which names the line,', () => {
    const refusalsOf = (answer: { body: Record<string, unknown> }) =>
      (answer.body['refusals'] as { line: number; errorCode: string }[]).map(
        ({ line, errorCode }) => `${line} ${errorCode}`,
      );

    it('the refusal of an import is that of a registration for a record that breaks its rules, and stores the rest', async () => {
      const { domain, admin } = await place();
      const good = keyFor(domain);
      const line = (change: object) => {
        const user = userOf(`user-${randomBytes(4).toString('hex')}`, [keyFor(domain)]);
        return { ...user, keys: [{ ...user.keys[0], ...change }] };
      };
      const smallRsa = Buffer.from([
        ...[0xa4, 0x01, 0x03, 0x03, 0x39, 0x01, 0x00, 0x20, 0x41, 0x0f],
        ...[0x21, 0x43, 0x01, 0x00, 0x01],
      ]);
      const answer = await postImport(
        admin,
        fileOf(
          domain,
          { ...userOf('bad\u0000name', [keyFor(domain)]) },
          userOf('long-handle', [], { userHandle: Buffer.alloc(65).toString('base64url') }),
          userOf('no-handle', [], { userHandle: '' }),
          userOf('many-handles', [], { furtherHandles: Array(101).fill('AAAA') }),
          line({ publicKey: 'not base64!' }),
          line({ publicKey: smallRsa.toString('base64url') }),
          line({ publicKey: Buffer.alloc(4097, 1).toString('base64url') }),
          line({ credentialId: Buffer.alloc(1024).toString('base64url') }),
          line({ credentialId: 'AB=' }),
          line({ keypair: 'no object' }),
          line({ aaguid: 'short' }),
          line({ signCount: -1 }),
          line({ createdAt: 'yesterday' }),
          userOf('anna', [good]),
        ),
      );
      expect(answer.status).toBe(200);
      expect(refusalsOf(answer)).toEqual([
        ...['2 E0001R', '3 E0045R', '4 E0045R', '5 E0045R', '6 E0039R', '7 E0039R', '8 E0039R'],
        ...['9 E0006R', '10 E0006R', '11 E0023R', '12 E1000R', '13 E0045R', '14 E0045R'],
      ]);
      expect(answer.body).toMatchObject({
        records: 14,
        users: { refused: 4 },
        keys: { created: 1 },
      });
      expect((await newUser(domain, good.authenticator).signIn('anna')).status).toBe(200);
    });

    it('the refusal of an import is given for lines that are too long, not UTF-8 or not JSON, and for a truncated file', async () => {
      const { domain, admin } = await place();
      const [head = ''] = fileOf(domain).split('\n');
      const anna = JSON.stringify(userOf('anna', [keyFor(domain)]));
      const file = Buffer.concat([
        Buffer.from(`${head}\n{"type":"user","username":"`),
        Buffer.alloc(2.5 * 1024 * 1024, 'x'),
        Buffer.from('"}\n'),
        Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d, 0x0a]),
        Buffer.from(`${'['.repeat(100_000)}\n\n{"type":"other"}\n${anna}\n`),
      ]);
      const answer = await postImport(admin, file);
      expect(refusalsOf(answer)).toEqual([
        ...['0 E0045R', '2 E0045R', '3 E0045R', '4 E0045R', '6 E0045R'],
      ]);
      expect(answer.body).toMatchObject({ users: { created: 1 } });
    });

    it('the refusal of an import is given for a last line with wrong counts, and for lines after it', async () => {
      const { domain, admin } = await place();
      const anna = userOf('anna', [keyFor(domain)]);
      const [head = '', user = ''] = fileOf(domain, anna).split('\n');
      const end = { type: 'end', users: 1, keys: 1 };
      const importOf = (last: object, ...more: readonly object[]) =>
        [head, user, ...[last, ...more].map((line) => JSON.stringify(line))].join('\n');
      for (const counts of [{ users: 2 }, { keys: 0 }, { users: undefined }]) {
        const file = importOf({ ...end, ...counts });
        expect(refusalsOf(await postImport(admin, file, { dryRun: 'yes' }))).toEqual(['3 E0045R']);
      }
      const answer = await postImport(admin, importOf(end, userOf('bert', [])));
      expect(refusalsOf(answer)).toEqual(['4 E0045R']);
      expect(answer.body).toMatchObject({ users: { created: 1 } });
    });

    describe('of a file that is not whole', () => {
      const refusedUsers = (from: number, length: number) =>
        Array.from({ length }, (_, n) => ({
          ...userOf(`user-${from + n}`, []),
          keys: [{ credentialId: 'AAAA' }],
        }));
      const withoutEnd = (file: string) => file.replace(/.*"end".*\n$/, '');

      it.each([
        ['is cut off after 150 refused keys', 'import.cut', 0, () => ['']],
        [
          'has other counts in its last line',
          'import.counts',
          152,
          () => [JSON.stringify({ type: 'end', users: 151, keys: 150 })],
        ],
        [
          'continues after its last line',
          'import.afterEnd',
          153,
          () =>
            [{ type: 'end', users: 150, keys: 150 }, ...refusedUsers(150, 150)].map((line) =>
              JSON.stringify(line),
            ),
        ],
      ])('an import that %s always says so, and has stopped', async (_, reason, line, tail) => {
        const { domain, admin } = await place();
        const users = refusedUsers(0, 150);
        const whole = fileOf(domain, ...users);
        const file = withoutEnd(whole) + tail().join('\n');
        const refusals = expect.arrayContaining([
          expect.objectContaining({ line, reason, errorCode: 'E0045R' }),
        ]) as unknown;
        for (const dryRun of ['yes', 'no']) {
          const { status, body } = await postImport(admin, file, { dryRun });
          expect({ status, body }).toMatchObject({
            status: 200,
            body: { complete: false, refusals },
          });
          expect(body['refusals']).toHaveLength(101);
        }
        const path = `/userapi/import?relyingParty=${domain}`;
        expect((await admin.get(path)).body).toMatchObject({ import: { state: 'stopped' } });
        const trail = `SELECT detail FROM audit WHERE relying_party = ? AND action <> 'users.import.part'`;
        const rows = await rowsOf<{ detail: string }>(server, trail, Buffer.from(domain));
        expect(rows.map(({ detail }) => JSON.parse(detail) as unknown)).toEqual([
          expect.objectContaining({ complete: false }),
          expect.objectContaining({ complete: false }),
        ]);
        const again = await postImport(admin, whole);
        expect(again.body).toMatchObject({ complete: true, users: { present: 150 } });
        expect((await admin.get(path)).body).toMatchObject({ import: { state: 'done' } });
      });
    });

    it('the refusal of an import is given for a list in place of a time or word, at any depth, and stores the rest', async () => {
      const { domain, admin } = await place();
      const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
      const [anna, bert, carl] = ['anna', 'bert', 'carl'].map((name) =>
        JSON.stringify(userOf(name, [keyFor(domain)], { createdAt: 'HERE' })),
      );
      const [head = ''] = fileOf(domain).split('\n');
      const end = JSON.stringify({ type: 'end', users: 3, keys: 3 });
      const answer = await postImport(
        admin,
        [
          head,
          anna?.replace('"HERE"', deep),
          bert?.replace('"HERE"', '[1]'),
          carl?.replace('"HERE"', '1').replace('"signCount"', `"transports":${deep},"signCount"`),
          end,
        ].join('\n'),
      );
      expect(refusalsOf(answer)).toEqual(['2 E0045R', '3 E0045R']);
      expect(answer.body).toMatchObject({ users: { created: 1 }, keys: { created: 1 } });
    });

    it('the refusal of an import is given for another user’s handle, ID or credential, and for a name with another handle', async () => {
      const { domain, admin } = await place();
      const anna = keyFor(domain);
      const bert = keyFor(domain);
      const carl = keyFor(domain);
      await newUser(domain).register('local');
      const stolen = userOf('dora', [keyFor(domain)]);
      const file = fileOf(
        domain,
        userOf('anna', [anna], { userId: 'customer-1' }),
        userOf('bert', [bert], { userHandle: anna.credential.userHandle }),
        userOf('carl', [carl], { userId: 'customer-1' }),
        { ...stolen, keys: userOf('anna', [anna]).keys },
        userOf('local', [keyFor(domain)]),
      );
      for (const created of [2, 0]) {
        const answer = await postImport(admin, file);
        expect(refusalsOf(answer)).toEqual(['3 E0001R', '4 E0001R', '5 E0036R', '6 E0001R']);
        expect(answer.body).toMatchObject({ users: { created, refused: 3 }, keys: { refused: 4 } });
      }
      const list = await admin.list();
      expect(list.map(({ username, credentials }) => [username, credentials.length])).toEqual([
        ['anna', 1],
        ['dora', 0],
        ['local', 1],
      ]);
    });

    it('the refusal of an import is given for a user’s key beyond a hundred, in one file or in two (E0043R)', async () => {
      const { domain, admin } = await place();
      const key = keyFor(domain);
      const copies = (from: number, n: number) =>
        Array.from({ length: n }, (_, at) => ({
          ...userOf('anna', [key]).keys[0],
          credentialId: Buffer.from(`credential number ${from + at}`).toString('base64url'),
        }));
      const first = await postImport(
        admin,
        fileOf(domain, { ...userOf('anna', [key]), keys: copies(0, 60) }),
      );
      expect(first.body).toMatchObject({ keys: { created: 60, refused: 0 } });
      const second = await postImport(
        admin,
        fileOf(domain, { ...userOf('anna', [key]), keys: copies(50, 52) }),
      );
      expect(second.body).toMatchObject({ keys: { created: 40, present: 10, refused: 2 } });
      expect(refusalsOf(second)).toEqual(['2 E0043R', '2 E0043R']);
      const { id } = relyingPartyOf(server, domain);
      expect(await countOf(server, 'credentials WHERE relying_party_id = ?', id)).toBe(100);
    });

    it('an import refuses the file of another relying party, of none, or of another format (E0045R)', async () => {
      const { domain, admin } = await place();
      const foreign = await postImport(admin, fileOf('other.example', userOf('anna', [])));
      expect(foreign).toMatchObject({ status: 400, body: { errorCode: 'E0045R' } });
      for (const [content, format] of [
        ['', 'servicefido'],
        ['username\nanna\n', 'servicefido'],
        ['{"users":[{"id":"1"', 'keycloak'],
        ['[]', 'keycloak'],
        ['['.repeat(1000), 'hanko'],
        ['{}', 'unknown'],
      ] as const) {
        const answer = await postImport(admin, content, { format });
        expect(answer).toMatchObject({ status: 400, body: { errorCode: 'E0045R' } });
      }
      expect(await admin.list()).toEqual([]);
      const key = keyFor('other.example');
      const realm = {
        webAuthnPolicyRpId: 'other.example',
        users: [
          {
            id: 'u1',
            username: 'anna',
            credentials: [
              {
                type: 'webauthn',
                credentialData: JSON.stringify({
                  credentialId: key.credential.id.toString('base64'),
                  credentialPublicKey: key.publicKey.toString('base64url'),
                }),
              },
            ],
          },
        ],
      };
      const answer = await postImport(admin, JSON.stringify(realm), { format: 'keycloak' });
      expect(refusalsOf(answer)).toEqual(['1 E0030R']);
      expect(answer.body).toMatchObject({ relyingParty: domain, users: { withoutKeys: 1 } });
    });

    it('a key that an import adds to a user receives a name that no other key of the user has', async () => {
      const { domain, admin } = await place();
      const [blue, red, green] = [keyFor(domain), keyFor(domain), keyFor(domain)];
      const user = userOf('anna', [blue]);
      const named = ({ keys }: { keys: object[] }) =>
        keys.map((key) => ({ ...key, deviceName: 'Blue' }));
      await postImport(admin, fileOf(domain, { ...user, keys: named(user) }));
      const more = [red, green].map((key) => ({ ...user, keys: named(userOf('anna', [key])) }));
      const answer = await postImport(admin, fileOf(domain, ...more));
      expect(answer.body).toMatchObject({ keys: { created: 2, refused: 0 } });
      const [anna] = await admin.list('anna');
      const names = anna?.credentials.map(({ deviceName }) => deviceName);
      expect(names?.toSorted()).toEqual(['Blue', 'Blue (2)', 'Blue (3)']);
    });

    it('an import and a registration that add keys of one name at the same time store different names', async () => {
      const { domain, admin } = await place();
      for (let round = 0; round < 5; round += 1) {
        const name = `bert-${round}`;
        const client = newUser(domain);
        await client.register(name, { keypair: { name: 'Phone' } });
        const userHandle = client.authenticator.credentials[0]?.userHandle;
        const user = userOf(name, [keyFor(domain)], { userHandle });
        const keys = user.keys.map((key) => ({ ...key, deviceName: 'Blue' }));
        const answers = await Promise.all([
          postImport(admin, fileOf(domain, { ...user, keys })),
          newUser(domain).register(name, { keypair: { name: 'Blue' } }),
        ]);
        expect(answers.map(({ status }) => status)).toEqual([200, 200]);
        const [found] = await admin.list(name);
        const names = found?.credentials.map(({ deviceName }) => deviceName);
        expect(names?.toSorted()).toEqual(['Blue', 'Blue (2)', 'Phone']);
      }
    });

    it('two simultaneous imports lose no user and store none twice', async () => {
      const { domain, admin } = await place();
      const names = Array.from({ length: 250 }, (_, n) => `user-${n}`);
      const file = fileOf(domain, ...names.map((name) => userOf(name, [])));
      const answers = await Promise.all([postImport(admin, file), postImport(admin, file)]);
      expect(answers.map(({ status }) => status).sort()).not.toEqual([400, 400]);
      for (const { status, body } of answers) {
        if (status !== 200) expect(body).toMatchObject({ errorCode: 'E0045R' });
      }
      const again = await postImport(admin, file);
      expect(again.body).toMatchObject({ users: { created: 0, present: 250, refused: 0 } });
      expect((await admin.names()).sort()).toEqual([...names].sort());
    });

    it('an import accepts a file that arrives more slowly than other requests may', async () => {
      const { domain, admin } = await place();
      const http = server.http;
      const { requestTimeout, headersTimeout } = http;
      const body = multipart([filePart(fileOf(domain, userOf('anna', [keyFor(domain)])))]);
      const file = `multipart/form-data; boundary=${BOUNDARY}`;
      const send = async (path: string, type = file) => {
        const headers = {
          ...admin.headers,
          'content-type': type,
          'content-length': String(body.length),
        };
        const request = httpRequest(server.url + path, { method: 'POST', headers });
        const answered = once(request, 'response') as Promise<[IncomingMessage]>;
        const begun = once(http, 'request');
        request.write(body.subarray(0, -1));
        // A busy machine may take longer for the head of a request. Node takes the longer of the two for requests.
        await begun;
        Object.assign(http, { requestTimeout: 100, headersTimeout: 100 });
        await once(http, 'clientError');
        Object.assign(http, { requestTimeout, headersTimeout });
        request.end(body.subarray(-1));
        const [response] = await answered;
        response.resume();
        return response.statusCode;
      };
      expect(await send(`/userapi/import?relyingParty=${domain}`)).toBe(200);
      expect(await send('/userapi/upload')).toBe(200);
      expect(await send('/userapi/tickets', 'application/json')).toBe(408);
      expect(await admin.names()).toEqual(['anna']);
    });

    it.each(['relying party', 'tenant'])(
      'an import whose %s is removed meanwhile stops, and says so (E0025R)',
      async (removed) => {
        const tenant = `leavers-${(places += 1)}`;
        const domain = `${tenant}.example`;
        await server.addRelyingParty(tenant, { domain });
        const admin = new AdminClient(server.url, domain);
        const users = Array.from({ length: 300 }, (_, n) => userOf(`user-${n}`, []));
        const body = multipart([filePart(fileOf(domain, ...users), 'users.jsonl')]);
        const headers = {
          ...admin.headers,
          'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
          'content-length': String(body.length),
        };
        const request = httpRequest(`${server.url}/userapi/import`, { method: 'POST', headers });
        const answered = once(request, 'response') as Promise<[IncomingMessage]>;
        const end = body.length - 100;
        request.write(body.subarray(0, end));
        const { id } = relyingPartyOf(server, domain);
        const stored = () => countOf(server, 'users WHERE relying_party_id = ?', id);
        await eventually(async () => expect(await stored()).toBeGreaterThanOrEqual(100));
        const path = removed === 'tenant' ? tenant : `${tenant}/relying-parties/${domain}`;
        const removal = await admin.send(`/tenantapi/tenants/${path}`, { method: 'DELETE' });
        expect(removal.status).toBe(200);
        request.end(body.subarray(end));
        const [response] = await answered;
        expect([response.statusCode, await json(response)]).toMatchObject([
          400,
          { errorCode: 'E0025R', reason: 'import.removed' },
        ]);
      },
    );

    it('the status of an import is shown until a new import begins', async () => {
      const { domain, admin } = await place();
      const path = `/userapi/import?relyingParty=${domain}`;
      expect((await admin.get(path)).body).not.toHaveProperty('import');
      await postImport(admin, fileOf(domain, userOf('anna', [keyFor(domain)])));
      expect((await admin.get(path)).body).toMatchObject({
        relyingParty: domain,
        import: {
          format: 'servicefido',
          state: 'done',
          account: 'admin',
          records: 1,
          users: { created: 1 },
        },
      });
      await postImport(admin, 'nonsense');
      expect((await admin.get(path)).body).toMatchObject({ import: { state: 'stopped' } });
    });
  });

  /** A new relying party, and its administration. */
  async function place() {
    const domain = `moved-${(places += 1)}.example`;
    await server.addRelyingParty('movers', { domain });
    return { domain, admin: new AdminClient(server.url, domain) };
  }

  function newUser(domain: string, authenticator = new SoftAuthenticator()) {
    return new FidoClient(server.url, {
      relyingParty: domain,
      authenticator,
    });
  }

  /** A line of our export for a user with a key. */
  function userOf(username: string, keys: readonly ForeignKey[], more: object = {}) {
    return {
      type: 'user',
      username,
      userHandle: keys[0]?.credential.userHandle ?? randomBytes(32).toString('base64url'),
      keys: keys.map(({ credential, publicKey }) => ({
        credentialId: credential.id.toString('base64url'),
        publicKey: publicKey.toString('base64url'),
        signCount: credential.signCount,
        backupEligible: false,
      })),
      ...more,
    };
  }

  function fileOf(domain: string, ...users: readonly { readonly keys?: unknown }[]) {
    return jsonLinesOf([
      { type: 'header', format: 'servicefido-users', version: 1, relyingParty: domain },
      ...users,
      { type: 'end', users: users.length, keys: users.flatMap(({ keys }) => keys ?? []).length },
    ]);
  }

  function keyFor(rpId: string, more: object = {}) {
    return foreignKey({ rpId, handle: randomBytes(32), ...more });
  }
});
