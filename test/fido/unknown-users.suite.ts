import { explain } from '../../src/events/refusal-explanation.js';
import { RefusalLog } from '../../src/fido/refusals/refusal-log.js';
import type { RelyingPartyPolicy } from '../../src/tenancy/policy/policy.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { sha256 } from '../../src/platform/common/sha256.js';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import type { AuthenticationTweaks } from '../../packages/testing/src/tweaks.js';
import { adminClient, type Answer, type Client } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { disableCredentials } from '../support/refusals/disable.js';
import { relyingPartyOf, rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

const QUIET = 'quiet.example';
const PLAIN = 'plain.example';
const TENANT = '/tenantapi/tenants/acme/relying-parties';
const PRETEND = { registration: 'ticket', unknownUsers: 'pretend' } as const;

interface Descriptor {
  readonly type: string;
  readonly id: string;
  readonly transports?: readonly string[];
}

const keysOf = ({ body }: Answer) => body['allowCredentials'] as readonly Descriptor[];

/** Nobody learns who is a user. */
describe.each(DATABASES)('policy "unknownUsers": "pretend", on %s', (on) => {
  let server: TestServer;
  let admin: Client;
  const anna = () => at(QUIET, annas);
  const annas = new SoftAuthenticator({ credentialIdLength: 20, counterStep: 0 });
  const bens = new SoftAuthenticator();

  const patch = (domain: string, body: object) => admin.patch(`${TENANT}/${domain}`, body);

  beforeAll(async () => {
    server = await TestServer.start({ on });
    admin = adminClient(server.url);
    await server.addRelyingParty('acme', { domain: QUIET });
    await server.addRelyingParty('acme', { domain: PLAIN, policy: PRETEND });
    await anna().register('anna');
    await at(QUIET, bens).register('ben');
    await at(QUIET).register('mallory');
    await at(QUIET).register('sue');
    await suspend('sue');
    await disableCredentials(server, bens);
    await setPolicy(PRETEND);
  });
  afterAll(() => server.stop());

  it('refuses "pretend" where registration needs no ticket, and during a move (E0045R)', async () => {
    const refused = async (domain: string, body: object) => {
      const before = await server.snapshot();
      const answer = await patch(domain, body);
      expect(answer).toMatchObject({ status: 400, body: { errorCode: 'E0045R' } });
      expect(await server.snapshot()).toBe(before);
      return answer.body.errorMessage;
    };
    const open = { ...PRETEND, registration: { mode: 'report', value: 'ticket' } };
    expect(await refused(QUIET, { policy: open })).toContain('"registration": "ticket"');
    await refused(QUIET, { policy: { unknownUsers: 'pretend' } });
    expect(await refused(QUIET, { predecessor: PLAIN })).toContain('move');
    await setPolicy({ registration: 'ticket' }, PLAIN);
    await refused(QUIET, { predecessor: PLAIN });
    await setPolicy({ registration: 'ticket' });
    expect((await patch(QUIET, { predecessor: PLAIN })).status).toBe(200);
    await refused(QUIET, { policy: PRETEND });
    await refused(PLAIN, { policy: PRETEND });
    expect((await patch(QUIET, { predecessor: null })).status).toBe(200);
    for (const domain of [QUIET, PLAIN]) {
      expect((await patch(domain, { policy: PRETEND })).status).toBe(200);
    }
    const added = { domain: 'new.example', policy: { unknownUsers: 'pretend' } };
    const before = await server.snapshot();
    expect(await admin.post(TENANT, added)).toMatchObject({ body: { errorCode: 'E0045R' } });
    expect(await server.snapshot()).toBe(before);
  });

  it.each(['nobody', 'ben', 'sue'])(
    'a begin call for %s, who cannot sign in, answers as for any user, with stable keys',
    async (name) => {
      const known = await anna().beginAuthentication('anna');
      const begun = await at(QUIET).beginAuthentication(name);
      expect(told(begun)).toEqual({
        ...told(known),
        body: {
          ...known.body,
          requestId: '',
          challenge: expect.stringMatching(/^[\w-]{43}$/),
          allowCredentials: expect.arrayContaining([
            {
              type: 'public-key',
              id: expect.stringMatching(/^[\w-]{20,}$/),
              transports: expect.anything(),
            },
          ]),
        },
      });
      expect(Object.keys(begun.body)).toEqual(Object.keys(known.body));
      expect(keysOf(begun).map((key) => Object.keys(key))[0]).toEqual(
        Object.keys(keysOf(known)[0] ?? {}),
      );
      expect(keysOf(await at(QUIET).beginAuthentication(name))).toEqual(keysOf(begun));
      expect(keysOf(await at(PLAIN).beginAuthentication(name))).not.toEqual(keysOf(begun));
      const rows = await rowsOf(
        server,
        'SELECT id FROM credentials WHERE credential_id = ?',
        Buffer.from(keysOf(begun)[0]?.id ?? '', 'base64url'),
      );
      expect(rows).toEqual([]);
    },
  );

  it('invented keys depend on the user name in NFC, and on its case', async () => {
    const spellings = ['Ren\u00e9e', 'Rene\u0301e', 'ren\u00e9e'];
    const [composed, decomposed, lower] = await Promise.all(
      spellings.map(async (name) => keysOf(await at(QUIET).beginAuthentication(name))),
    );
    expect(decomposed).toEqual(composed);
    expect(lower).not.toEqual(composed);
  });

  it('invented keys do not change with other registrations or a saved policy', async () => {
    const names = Array.from({ length: 20 }, (_, n) => `absent-${n}`);
    const begin = async () =>
      JSON.stringify(
        await Promise.all(
          names.map(async (name) => keysOf(await at(QUIET).beginAuthentication(name))),
        ),
      );
    const before = await begin();
    const { ticket } = (
      await admin.post('/userapi/tickets', { username: 'cleo', relyingParty: QUIET, ttl: 60 })
    ).body;
    const stick = new SoftAuthenticator({ credentialIdLength: 200, transports: ['ble'] });
    expect((await at(QUIET, stick).register('cleo', { ticket })).status).toBe(200);
    await setPolicy({ ...PRETEND, userVerification: 'preferred' });
    expect(await begin()).toBe(before);
  });

  it('switching "pretend" on counts the kinds of keys of each user, without disabled keys', async () => {
    await setPolicy({});
    const twice = new FidoClient(server.url, { relyingParty: QUIET });
    await twice.register('dora');
    const other = new SoftAuthenticator({ credentialIdLength: 77, transports: [] });
    await at(QUIET, other).register('dora');
    await setPolicy(PRETEND);
    const { keyShapes } = relyingPartyOf(server, QUIET);
    const dora = keyShapes.filter(({ keys }) => keys.some(({ idBytes }) => idBytes === 77));
    expect(dora).toEqual([
      { users: 100, keys: [expect.anything(), { idBytes: 77, transports: '' }] },
    ]);
    await setPolicy({ registration: 'ticket' });
    expect(relyingPartyOf(server, QUIET).keyShapes).toEqual([]);
    await setPolicy(PRETEND);
  });

  it('the owner of a key can sign in with a user name and without', async () => {
    const client = anna();
    expect(await client.signIn('anna')).toMatchObject({ status: 200, body: { username: 'anna' } });
    const begun = await client.beginNameless();
    expect(await client.completeAuthentication(client.assert(begun))).toMatchObject({
      status: 200,
      body: { username: 'anna', signals: { rpId: QUIET } },
    });
  });

  /** An assertion of a caller who has read the begin call's answer, and has another key. */
  const forge = async (client: FidoClient, begun: Answer, tweaks: AuthenticationTweaks = {}) => {
    const [key] = begun.body['allowCredentials'] as Descriptor[];
    const own = new SoftAuthenticator();
    const stranger = new FidoClient(server.url, {
      relyingParty: QUIET,
      authenticator: own,
    });
    stranger.create({
      ...begun,
      body: {
        rp: { id: QUIET },
        user: { id: 'AAAA' },
        challenge: begun.body['challenge'],
        pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
      } as never,
    });
    const options = { ...begun, body: { ...begun.body, allowCredentials: [] } as never };
    const body = stranger.assert(options, { userHandle: null, ...tweaks });
    return client.completeAuthentication({ ...body, id: key?.id, rawId: key?.id });
  };

  it.each<[string, AuthenticationTweaks]>([
    ['a wrong signature', {}],
    ['a signature that is no DER', { signature: () => Buffer.from('no DER') }],
    ['a foreign user handle', { userHandle: 'AAAA' }],
    ['another RP ID', { rpIdHash: sha256(PLAIN) }],
    ['no user presence', { flags: () => 0 }],
  ])(
    'refuses %s with one answer for a known, a disabled and an unknown user (E0032R)',
    async (_, tweaks) => {
      const outcomes = [];
      for (const name of ['anna', 'ben', 'nobody']) {
        const client = at(QUIET);
        outcomes.push(told(await forge(client, await client.beginAuthentication(name), tweaks)));
      }
      expect(outcomes[0]).toMatchObject({ status: 401, body: { errorCode: 'E0032R' } });
      expect(outcomes[1]).toEqual(outcomes[0]);
      expect(outcomes[2]).toEqual(outcomes[0]);
    },
  );

  it('refuses the genuine key of another user, and a disabled one, by one answer (E0032R)', async () => {
    const refused = { status: 401, body: { errorCode: 'E0032R' } };
    for (const name of ['ben', 'nobody', 'mallory']) {
      const client = anna();
      const begun = await client.beginAuthentication(name);
      const body = client.assert({ ...begun, body: { ...begun.body, allowCredentials: [] } });
      const answer = await client.completeAuthentication(body);
      expect(answer).toMatchObject(refused);
      expect(Object.keys(answer.body)).toEqual([
        'status',
        'errorCode',
        'errorMessage',
        'reason',
        'requestId',
      ]);
    }
    const ben = at(QUIET, bens);
    const nameless = await ben.beginNameless();
    expect(await ben.completeAuthentication(ben.assert(nameless))).toMatchObject(refused);
    expect(await lastRefusal()).toMatchObject({ code: 'E0032R', detail: 'E0034R' });
    expect(explain('E0032R', 'E0034R')).toEqual(explain('E0034R'));
  });

  it('refuses a known and an unknown key without a user name by one answer (E0032R)', async () => {
    const outcomes = [];
    for (const name of ['anna', 'nobody']) {
      const [key] = keysOf(await at(QUIET).beginAuthentication(name));
      const client = at(QUIET);
      const begun = await client.beginNameless();
      const body = { ...begun.body, allowCredentials: [key] };
      outcomes.push(told(await forge(client, { ...begun, body } as never, { userHandle: 'AAAA' })));
    }
    expect(outcomes[0]).toMatchObject({ status: 401, body: { errorCode: 'E0032R' } });
    expect(outcomes[1]).toEqual(outcomes[0]);
  });

  it('the event of a refusal records the true reason for the help desk', async () => {
    for (const [name, detail, reason] of [
      ['nobody', 'unknown-user', 'unknownUser'],
      ['ben', 'no-enabled-key', 'noEnabledKey'],
      ['anna', 'signature-invalid', 'E0032R'],
    ] as const) {
      const client = at(QUIET);
      await forge(client, await client.beginAuthentication(name));
      const row = await lastRefusal();
      expect(row).toMatchObject({ code: 'E0032R', detail });
      expect(explain('E0032R', detail).reason).toEqual({ key: `refusals:${reason}.reason` });
      expect(row?.userId.equals(Buffer.alloc(16))).toBe(name !== 'anna');
    }
  });

  it('the refusal of a registration reveals neither whether the user exists nor a suspension', async () => {
    const outcomes = [];
    for (const name of ['anna', 'nobody', 'sue']) {
      const client = at(QUIET);
      outcomes.push(
        told(await client.beginRegistration(name)),
        told(await client.beginRegistration(name, { ticket: 'x'.repeat(43) })),
        told(await client.beginRegistration(name, { mediation: 'conditional' })),
        told(await client.beginRegistration(name, { userId: 'x' })),
      );
    }
    expect(outcomes.slice(0, 4).map(({ status }) => status)).toEqual([403, 403, 403, 400]);
    expect(outcomes.slice(4, 8)).toEqual(outcomes.slice(0, 4));
    expect(outcomes.slice(8)).toEqual(outcomes.slice(0, 4));
  });

  function at(relyingParty: string, authenticator?: SoftAuthenticator) {
    return new FidoClient(server.url, {
      relyingParty,
      ...(authenticator && { authenticator }),
    });
  }

  function suspend(username: string) {
    const body = { relyingParty: QUIET, username, suspended: true, reason: 'on leave' };
    return admin.post('/userapi/users/suspension', body);
  }

  function setPolicy(policy: RelyingPartyPolicy, domain = QUIET) {
    return server.get(TenancyService).changeRelyingParty(server.call, 'acme', domain, { policy });
  }

  async function lastRefusal() {
    await server.get(RefusalLog).flush();
    const sql = 'SELECT code, detail, user_id AS userId FROM events ORDER BY id DESC LIMIT 1';
    const [row] = await rowsOf<{ code: string; detail: string; userId: Buffer }>(server, sql);
    return row;
  }
});

/** Everything that a caller learns, except values that differ from call to call. */
function told({ status, headers, body }: Answer) {
  return {
    status,
    headers: [...headers.keys()].filter((name) => name !== 'date').sort(),
    body: { ...body, requestId: '' },
  };
}
