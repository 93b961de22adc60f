import { readFileSync } from 'node:fs';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { projectPath } from '../../src/platform/project.js';
import { adminClient, type Answer } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient, familiesOn } from '../support/fido-client.js';
import { AUTHENTICATION_CASES } from '../support/refusals/authentication-cases.js';
import { BEGIN_CASES } from '../support/refusals/begin-cases.js';
import type { ResultCase } from '../support/refusals/bodies.js';
import { disableCredentials } from '../support/refusals/disable.js';
import { DECIDED_CODES, NO_ACCOUNT, expectRefusal } from '../support/refusals/refusal.js';
import { REGISTRATION_CASES } from '../support/refusals/registration-cases.js';
import { TestServer } from '../support/test-server.js';

const USER = 'alice';
const OTHER = 'bob';
/** A result that takes its pending ceremony, and cannot complete it. */
const FROM_ELSEWHERE = { clientData: { origin: 'https://evil.example' } };
const namesAnother = (wrong: ResultCase) => wrong.namesAnother === true;
const namesItsOwn = (wrong: ResultCase) => !namesAnother(wrong);
/** Codes that this file quotes. */
const QUOTED = /(?<=')E\d{4}R(?=')/g;
const ALLOWED_MODEL = 'ee882879-721c-4913-9775-3dfcce97072a';

describe.each(DATABASES)('refusals of the four calls on %s', (on) => {
  let server: TestServer;

  /** The rows after the last refusal; unknown once `changing` was called. */
  let rows: string | undefined;

  beforeAll(async () => {
    server = await TestServer.start({ on });
    await server.addRelyingParty('strict', {
      domain: 'strict.example',
      policy: { registration: 'ticket' },
    });
  });
  afterAll(() => server.stop());

  describe.each(familiesOn(on))('the paths of family %s', (family) => {
    const alice = `${USER}-${family}`;
    const bob = `${OTHER}-${family}`;
    let device: SoftAuthenticator;
    let client: FidoClient;

    beforeAll(async () => {
      client = await registered(alice);
      device = client.authenticator;
      await registered(bob);
    });
    beforeEach(() => {
      client = clientWith(device);
    });

    it.each(BEGIN_CASES)('refuses $call if $title ($code)', async ({ code, call, ...wrong }) => {
      const { members = {}, headers = {} } = wrong;
      const good = { username: alice, displayName: alice, ...members };
      const body = 'body' in wrong ? wrong.body : good;
      await refused(code, () => client.post(client.paths[call], body, headers));
    });

    it.each(REGISTRATION_CASES.filter(namesAnother))(
      'refuses a registration if $title, and keeps the ceremony pending ($code)',
      async (wrong) => {
        const user = clientWith(new SoftAuthenticator(wrong.device));
        const begun = await user.beginRegistration('nobody-yet', wrong.begin);
        const body = user.create(begun, wrong.tweaks);
        await refused(wrong.code, () => user.completeRegistration(body));
        const foreign = user.create(begun, FROM_ELSEWHERE);
        await refused('E0029R', () => user.completeRegistration(foreign));
      },
    );

    it.each(AUTHENTICATION_CASES.filter(namesAnother))(
      'refuses a sign-in if $title, and keeps the ceremony pending ($code)',
      async (wrong) => {
        const begun = await client.beginAuthentication(alice, wrong.begin);
        const body = client.assert(begun, wrong.tweaks ?? {});
        await refused(wrong.code, () => client.completeAuthentication(body));
        const foreign = client.assert(begun, FROM_ELSEWHERE);
        await refused('E0029R', () => client.completeAuthentication(foreign));
      },
    );

    it.each(REGISTRATION_CASES.filter(namesItsOwn))(
      'refuses a registration if $title, and uses up the challenge ($code)',
      async (wrong) => {
        const user = clientWith(new SoftAuthenticator(wrong.device));
        const begun = await user.beginRegistration('nobody-yet', wrong.begin);
        const body = user.create(begun, wrong.tweaks);
        await refused(wrong.code, () =>
          user.completeRegistration(wrong.change ? wrong.change(body) : body),
        );
        const genuine = clientWith(new SoftAuthenticator()).create(begun);
        await refused('E0024R', () => user.completeRegistration(genuine));
      },
    );

    it.each(AUTHENTICATION_CASES.filter(namesItsOwn))(
      'refuses a sign-in if $title, and uses up the challenge ($code)',
      async (wrong) => {
        const begun = await client.beginAuthentication(alice, wrong.begin);
        const body = client.assert(begun, wrong.tweaks ?? {});
        await refused(wrong.code, () =>
          client.completeAuthentication(wrong.change ? wrong.change(body) : body),
        );
        await refused('E0024R', () => client.completeAuthentication(client.assert(begun)));
      },
    );

    it('refuses a begin call for an unknown user with 403 and no code', () =>
      refused(NO_ACCOUNT, () => client.beginAuthentication('nobody')));

    it('refuses a result call without a session (E0024R)', async () => {
      await refused('E0024R', () => client.completeRegistration({}));
      await refused('E0024R', () => client.completeAuthentication({}));
    });

    it('refuses the key of another user (E0033R)', async () => {
      const begun = await client.beginAuthentication(bob);
      const body = client.assert({ ...begun, body: { ...begun.body, allowCredentials: [] } });
      await refused('E0033R', () => client.completeAuthentication(body));
    });

    it('refuses a key that was disabled after the begin call (E0034R)', async () => {
      const carol = await registered(`carol-${family}`);
      const begun = await carol.beginAuthentication(`carol-${family}`);
      await disableCredentials(server, carol.authenticator);
      await refused('E0034R', () => carol.completeAuthentication(carol.assert(begun)));
    });

    it.each([
      ['unchanged', 5],
      ['lower', 4],
      ['0 again', 0],
    ])(
      'refuses an assertion whose signature counter is %s, with one event (E0035R)',
      async (_, signCount) => {
        const username = `dave-${family}-${signCount}`;
        const dave = await registered(username);
        expect(await dave.signIn(username, { signCount: 5 })).toMatchObject({ status: 200 });
        const tables = async () => JSON.parse(await server.snapshot()) as [string, unknown[]][];
        const before = await tables();

        const begun = await dave.beginAuthentication(username);
        const body = dave.assert(begun, { signCount });
        expectRefusal(await dave.completeAuthentication(body), 'E0035R');

        for (const [i, [table, rows]] of (await tables()).entries()) {
          if (table === 'events') expect(rows).toHaveLength((before[i]?.[1].length ?? 0) + 1);
          else expect([table, rows]).toEqual(before[i]);
        }
        await refused('E0024R', () => dave.completeAuthentication(body));
        const signIn = await changing(() => dave.signIn(username, { signCount: 6 }));
        expect(signIn).toMatchObject({ status: 200 });
      },
    );

    it.each([
      ['the same user', alice],
      ['another user', bob],
      ['a new user', 'newcomer'],
    ])(
      'refuses to register a registered credential ID again for %s (E0036R, WebAuthn L3 §7.1 step 26)',
      async (_, username) => {
        const id = device.credentials[0]?.id ?? Buffer.of();
        const user = clientWith(new SoftAuthenticator());
        const begun = await user.beginRegistration(username);
        const body = user.create(begun, { attestedCredentialId: id });
        const text = id.toString('base64url');
        await refused('E0036R', () =>
          user.completeRegistration({ ...body, id: text, rawId: text }),
        );
        expect(await changing(() => client.signIn(alice))).toMatchObject({ status: 200 });
      },
    );

    it('refuses a body of more than 64 KiB (E0041R)', async () => {
      const body = { username: alice, displayName: alice, note: 'x'.repeat(65_536) };
      for (const path of Object.values(client.paths)) {
        await refused('E0041R', () => client.post(path, body));
      }
    });

    it('refuses a dry run, which no call of a ceremony has (E0045R)', async () => {
      const user = clientWith(new SoftAuthenticator());
      const begun = await user.beginRegistration('nobody-yet');
      const bodies = {
        beginRegistration: { username: alice, displayName: alice },
        completeRegistration: user.create(begun),
        beginAuthentication: { username: alice },
        completeAuthentication: {},
      };
      for (const [call, body] of Object.entries(bodies)) {
        const path = user.paths[call as keyof typeof bodies];
        const tries = [
          () => user.post(`${path}?dryRun=yes`, body),
          () => user.post(path, { ...body, dryRun: true }),
        ];
        for (const tried of tries) {
          const { body: answer } = await refused('E0045R', tried);
          expect(answer['reason']).toBe('parameters.noDryRun');
        }
      }
    });

    it('refuses a registration that the relying party does not permit (E0043R)', () =>
      refused('E0043R', () =>
        new FidoClient(server.url, { family, relyingParty: 'strict.example' }).beginRegistration(
          alice,
        ),
      ));

    it.each(['GET', 'PUT', 'PATCH', 'DELETE'])(
      'refuses the method %s with 405 (E0047R)',
      async (method) => {
        for (const path of Object.values(client.paths)) {
          const answer = await refused('E0047R', () => client.send(path, { method }), 405);
          expect(answer.headers.get('allow')).toBe('POST');
        }
      },
    );

    it('refuses an unknown path below a call with 404 (E0047R)', () =>
      refused('E0047R', () => client.post(`${client.paths.beginRegistration}/more`, {})));

    it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx'])(
      'refuses the content type %s (E0048R)',
      async (type) => {
        const body = { username: alice, displayName: alice };
        for (const path of Object.values(client.paths)) {
          await refused('E0048R', () => client.post(path, body, { 'content-type': type }));
        }
      },
    );

    it('a user can still sign in after all these refusals', async () => {
      expect(await changing(() => client.signIn(alice))).toMatchObject({ status: 200 });
    });

    /** A new user with a new credential. */
    async function registered(username: string) {
      const user = clientWith(new SoftAuthenticator());
      const registration = await changing(() => user.register(username));
      expect(registration).toMatchObject({ status: 200 });
      return user;
    }

    function clientWith(authenticator: SoftAuthenticator) {
      return new FidoClient(server.url, { family, authenticator });
    }
  });

  it('refuses too many calls with Retry-After (E0040R)', async () => {
    const limited = await TestServer.start({ on, options: { rateUser: 1 } });
    const client = new FidoClient(limited.url);
    await client.beginRegistration(USER);
    const answer = await client.beginRegistration(USER);
    expectRefusal(answer, 'E0040R');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    await limited.stop();
  });

  it.each([
    ['a model that is not allowed', 'E0037R', { allow: [ALLOWED_MODEL] }],
    ['an attestation that is not trusted', 'E0038R', { trust: 'enforce' }],
  ] as const)('a policy refuses %s (%s)', async (_, code, policy) => {
    const domain = `${code.toLowerCase()}.example`;
    await changing(() => server.addRelyingParty('strict', { domain, policy }));
    const client = new FidoClient(server.url, {
      relyingParty: domain,
    });
    const begun = await client.beginRegistration(USER);
    await refused(code, () => client.completeRegistration(client.create(begun)));
  });

  it('these tests cause every code of the four calls', () => {
    const cases = [...BEGIN_CASES, ...REGISTRATION_CASES, ...AUTHENTICATION_CASES];
    // The others stand in the tests themselves.
    const source = readFileSync(projectPath('test/http/errors.suite.ts'), 'utf8');
    const codes = [NO_ACCOUNT, ...cases.map(({ code }) => code), ...(source.match(QUOTED) ?? [])];
    expect([...new Set(codes)].sort()).toEqual(DECIDED_CODES);
  });

  it('the log has one line per refusal, with its code', async () => {
    const { status, headers } = await adminClient(server.url).post('/fidoapi/register/begin', {});
    expect(status).toBe(400);
    const requestId = headers.get('x-request-id');
    expect(server.logged.filter((line) => line['requestId'] === requestId)).toMatchObject([
      { code: 'E0025R', status: 400, path: '/fidoapi/register/begin' },
    ]);
  });

  it('a path that does not support the method names those that it supports', async () => {
    const { status, headers, body } = await adminClient(server.url).get('/fidoapi/register/begin');
    expect([status, headers.get('allow')]).toEqual([405, 'POST']);
    expect(body).toMatchObject({ errorCode: 'E0047R', reason: 'path.method' });
    expect(body['errorMessage']).toBe('This path does not support GET. It supports POST.');
  });

  it.each(['/fidoapi/register/begin', '/tenantapi/tenants'])(
    'POST %s says that a body is no JSON',
    async (path) => {
      const { body } = await adminClient(server.url).post(path, "{'username':'anna'}");
      expect(body).toMatchObject({ errorCode: 'E0001R', reason: 'request.body' });
      expect(body['errorMessage']).toMatch(/ What was sent is not JSON: look at its quotes/);
    },
  );

  it.each([
    ['/userapi/manageusers?type=nonsense', 'type'],
    ['/userapi/events?limit=0', 'limit'],
    ['/userapi/audit?after=nonsense', 'after'],
  ])('the log line of the refused call %s names the field', async (path, field) => {
    const { body } = await adminClient(server.url).get(path);
    expect(server.logged.filter((line) => line['requestId'] === body['requestId'])).toMatchObject([
      { code: 'E0045R', status: 400, field },
    ]);
  });

  it('the log has a line for a probe or file that fails, and none for one that succeeds', async () => {
    const client = adminClient(server.url);
    const linesOf = async (path: string) => {
      const requestId = (await client.get(path)).headers.get('x-request-id');
      return server.logged.filter((line) => line['requestId'] === requestId).length;
    };
    for (const path of ['/health/live', '/metrics', '/fidoapi/test', '/sdk/servicefido.js']) {
      expect([path, await linesOf(path)]).toEqual([path, 0]);
    }
    expect(await linesOf('/health/none')).toBe(1);
    expect(await linesOf('/getversion')).toBe(1);
  });

  /** Expects a refusal with this code, and no changed row since the last refusal. */
  async function refused(code: string, call: () => Promise<Answer>, status?: number) {
    const before = rows ?? (await server.snapshot());
    const answer = await call();
    expectRefusal(answer, code, status);
    rows = await server.snapshot();
    expect(rows).toBe(before);
    return answer;
  }

  /** For calls that may change rows. */
  function changing<T>(act: () => Promise<T>): Promise<T> {
    rows = undefined;
    return act();
  }
});
