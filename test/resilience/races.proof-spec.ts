import { randomBytes } from 'node:crypto';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { EventNumbering } from '../../src/events/numbering/event-numbering.js';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { fireTogether, type Shot, type ShotAnswer } from '../support/barrier.js';
import { createWithId } from '../support/chosen-id.js';
import { adminClient } from '../support/client.js';
import { FidoClient } from '../support/fido-client.js';
import { countOf, rowsOf } from '../support/rows.js';
import { IS_HARNESS, report, sized } from '../support/harness.js';
import { SITES, Site } from '../support/site.js';

const COPIES = 50;
const HOUR_MS = 3_600_000;
type EventJson = Record<'id' | 'username' | 'kind', unknown>;
const ROUNDS = sized(10);
/** Races of 50 or more requests each, and those that fill a user's 100 credentials. */
const BIG_ROUNDS = IS_HARNESS ? ROUNDS : 3;
const FILLED_ROUNDS = IS_HARNESS ? Math.ceil(ROUNDS / 20) : 1;

describe.each(SITES)('parallel requests to %s', (name) => {
  let site: Site;
  beforeAll(async () => {
    site = await Site.start(name);
  });
  afterAll(() => site.stop());
  afterEach(() => {
    const { currentTestName = '' } = expect.getState();
    if (!currentTestName.includes('stores at most 100')) report({ rounds: ROUNDS });
  });

  const newUser = (authenticator = new SoftAuthenticator()) =>
    new FidoClient(site.first.url, { authenticator });

  const copies = (make: (n: number) => Shot) =>
    fireTogether(Array.from({ length: COPIES }, (_, n) => make(n)));

  const eventsOf = (username: string, kind: string) =>
    countOf(site.first, 'events WHERE username = ? AND kind = ?', Buffer.from(username), kind);

  const accepted = (answers: readonly ShotAnswer[]) =>
    answers.filter(({ status }) => status === 200);

  it('accepts one of 50 copies of an assertion', async () => {
    const client = newUser();
    await client.register('copied-in');
    for (let round = 1; round <= BIG_ROUNDS; round += 1) {
      const body = client.assert(await client.beginAuthentication('copied-in'));
      const answers = await copies((n) => shot(client, 'Authentication', body, n));
      expect(accepted(answers)).toHaveLength(1);
      expect(answers.filter(({ body: { token } }) => token !== undefined)).toHaveLength(1);
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        expect(answer).toMatchObject({ status: 408, body: { status: false, errorCode: 'E0024R' } });
      }
      expect(await storedCounter(client)).toBe(1 + round);
      expect(await eventsOf('copied-in', 'authentication')).toBe(round);
    }
  });

  it('accepts one of 50 copies of a registration, and stores one user and one credential', async () => {
    for (let round = 0; round < BIG_ROUNDS; round += 1) {
      const username = `copied-up-${round}`;
      const client = newUser();
      const body = client.create(await client.beginRegistration(username));
      const answers = await copies((n) => shot(client, 'Registration', body, n));
      expect(accepted(answers)).toHaveLength(1);
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        expect(answer).toMatchObject({ status: 408, body: { errorCode: 'E0024R' } });
      }
      const users = `users WHERE username = ?`;
      expect(await countOf(site.first, users, Buffer.from(username))).toBe(1);
      const { id } = client.authenticator.credentials[0] as { id: Buffer };
      expect(await countOf(site.first, 'credentials WHERE credential_id = ?', id)).toBe(1);
      expect(await eventsOf(username, 'registration')).toBe(1);
      expect((await client.signIn(username)).status).toBe(200);
    }
  });

  it('accepts one of two assertions with the same counter (WebAuthn L3 §7.2 step 22)', async () => {
    const owner = newUser();
    await owner.register('cloned');
    for (let round = 1; round <= ROUNDS; round += 1) {
      const signCount = round * 10;
      const twins = await Promise.all(
        [0, 1].map(async (n) => {
          const client = newUser(owner.authenticator);
          const begun = await client.beginAuthentication('cloned');
          return shot(client, 'Authentication', client.assert(begun, { signCount }), n);
        }),
      );
      const answers = await fireTogether(twins);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
      expect(answers.map(({ body }) => body.errorCode)).toContain('E0035R');
      expect(await storedCounter(owner)).toBe(signCount);
    }
    expect(await eventsOf('cloned', 'clone-alarm')).toBe(ROUNDS);
  });

  it.each(['named', 'nameless'] as const)(
    'does not disable a key whose two %s answers overtake each other (WebAuthn L3 §7.2 step 22)',
    async (kind) => {
      const username = `overtaken-${kind}`;
      const policy = { counter: 'disable' } as const;
      const tenancy = site.first.get(TenancyService);
      await tenancy.changeRelyingParty(site.first.call, 'default', 'localhost', { policy });
      try {
        const owner = newUser();
        await owner.register(username);
        const begin = async (client: FidoClient) =>
          kind === 'named' ? client.beginAuthentication(username) : client.beginNameless();
        const late = newUser(owner.authenticator);
        const begun = await begin(late);
        const first = late.assert(begun, { signCount: 10 });
        for (const { clock } of site.servers) clock.advance(2);
        expect((await owner.signIn(username, { signCount: 11 })).status).toBe(200);
        const answer = await late.completeAuthentication(first);
        expect(answer.body.errorCode).toBe('E0035R');
        const [alarm] = await rowsOf<{ detail: string }>(
          site.first,
          "SELECT detail FROM events WHERE username = ? AND kind = 'clone-alarm'",
          Buffer.from(username),
        );
        expect(alarm?.detail).toBe('overlapping');
        expect((await owner.signIn(username, { signCount: 12 })).status).toBe(200);
        const copy = await owner.signIn(username, { signCount: 12 });
        expect(copy.body.errorCode).toBe('E0035R');
        expect((await owner.beginAuthentication(username)).status).toBe(403);
      } finally {
        await tenancy.changeRelyingParty(site.first.call, 'default', 'localhost', { policy: {} });
      }
    },
  );

  it('refuses the lower of two counters that arrive in the wrong order (WebAuthn L3 §7.2 step 22)', async () => {
    const client = newUser();
    await client.register('reversed');
    for (let round = 1; round <= ROUNDS; round += 1) {
      const low = round * 10 + 1;
      const high = round * 10 + 2;
      const begin = () => client.beginAuthentication('reversed');
      const earlier = client.assert(await begin(), { signCount: low });
      const later = client.assert(await begin(), { signCount: high });
      expect((await client.completeAuthentication(later)).status).toBe(200);
      const late = await client.completeAuthentication(earlier);
      expect(late).toMatchObject({ status: 401, body: { errorCode: 'E0035R' } });
      expect(await storedCounter(client)).toBe(high);
    }
  });

  it('stores the highest counter of 30 parallel sign-ins and never lowers it', async () => {
    const owner = newUser();
    await owner.register('busy');
    let events = 0;
    for (let round = 1; round <= BIG_ROUNDS; round += 1) {
      const lowest = 100 * round;
      const shots = await Promise.all(
        Array.from({ length: 30 }, async (_, n) => {
          const client = newUser(owner.authenticator);
          const begun = await client.beginAuthentication('busy');
          const body = client.assert(begun, { signCount: lowest + n });
          return shot(client, 'Authentication', body, n);
        }),
      );
      const answers = await fireTogether(shots.sort(() => 0.5 - Math.random()));
      const counters = accepted(answers).map(({ body }) => Number(body['signCount']));
      expect(Math.max(...counters)).toBe(lowest + 29);
      expect(new Set(counters).size).toBe(counters.length);
      expect(await storedCounter(owner)).toBe(lowest + 29);
      events += counters.length;
      expect(await eventsOf('busy', 'authentication')).toBe(events);
      const refused = answers.filter(({ status }) => status !== 200);
      expect(new Set(refused.map(({ body }) => body.errorCode))).toEqual(
        new Set(refused.length > 0 ? ['E0035R'] : []),
      );
    }
  });

  it('creates one user for two first registrations, and accepted keys can sign in', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const username = `newcomer-${round}`;
      const clients = [newUser(), newUser()];
      const shots = await Promise.all(
        clients.map(async (client, n) => {
          const body = client.create(await client.beginRegistration(username));
          return shot(client, 'Registration', body, n);
        }),
      );
      const answers = await fireTogether(shots);
      expect(accepted(answers).length).toBeGreaterThan(0);
      for (const { status } of answers) expect([200, 408]).toContain(status);
      const users = 'users WHERE username = ?';
      expect(await countOf(site.first, users, Buffer.from(username))).toBe(1);
      for (const [n, client] of clients.entries()) {
        if (answers[n]?.status === 200) expect((await client.signIn(username)).status).toBe(200);
      }
    }
  });

  it('gives a credential ID to one of two users who register it at once (E0036R)', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = randomBytes(32);
      const usernames = [`first-${round}`, `second-${round}`];
      const clients = [newUser(), newUser()];
      const shots = await Promise.all(
        clients.map(async (client, n) => {
          const begun = await client.beginRegistration(usernames[n] ?? '');
          return shot(client, 'Registration', createWithId(client, begun, id), n);
        }),
      );
      const answers = await fireTogether(shots);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
      expect(answers.map(({ body }) => body.errorCode)).toContain('E0036R');
      expect(await countOf(site.first, 'credentials WHERE credential_id = ?', id)).toBe(1);
      const loser = usernames[answers.findIndex(({ status }) => status !== 200)] ?? '';
      expect(await countOf(site.first, 'users WHERE username = ?', Buffer.from(loser))).toBe(0);
    }
  });

  it('keeps at most 8 ceremonies of a session', async () => {
    for (let round = 0; round < BIG_ROUNDS; round += 1) {
      const client = newUser();
      await client.beginRegistration('first');
      const begun = await Promise.all(
        Array.from({ length: COPIES }, (_, n) => client.beginRegistration(`tab-${round}-${n}`)),
      );
      const shots = begun.map((answer, n) =>
        shot(client, 'Registration', client.create(answer), n),
      );
      const answers = await fireTogether(shots);
      for (const { status } of answers) expect([200, 401, 408]).toContain(status);
      expect(accepted(answers).length).toBeLessThanOrEqual(8);
    }
  });

  it('distinguishes simultaneous begin and result calls of one session', async () => {
    const client = newUser();
    await client.register('crossing');
    for (let round = 0; round < ROUNDS; round += 1) {
      const body = client.assert(await client.beginAuthentication('crossing'));
      const [completed, begun] = await Promise.all([
        client.completeAuthentication(body),
        client.beginAuthentication('crossing'),
      ]);
      expect(completed.status).toBe(200);
      expect((await client.completeAuthentication(client.assert(begun))).status).toBe(200);
    }
  });

  it('gives different names to three keys that a user registers at once', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const username = `namer-${round}`;
      expect((await newUser().register(username)).status).toBe(200);
      const shots = await Promise.all(
        [0, 1, 2].map(async (n) => {
          const client = newUser();
          const body = client.create(await client.beginRegistration(username));
          return shot(client, 'Registration', body, n);
        }),
      );
      expect(accepted(await fireTogether(shots))).toHaveLength(3);
      const rows = await rowsOf<{ name: string }>(
        site.first,
        `SELECT c.device_name AS name FROM credentials c JOIN users u ON u.id = c.user_id
         WHERE u.username = ?`,
        Buffer.from(username),
      );
      const numbers = ['', ' (2)', ' (3)', ' (4)'];
      expect(rows.map((row) => row.name).sort()).toEqual(numbers.map((n) => `Security key${n}`));
    }
  });

  it('stores at most 100 credentials of a user (E0043R)', async () => {
    for (let round = 0; round < FILLED_ROUNDS; round += 1) {
      const username = `collector-${round}`;
      for (let n = 0; n < 95; n += 1) {
        expect((await newUser().register(username)).status).toBe(200);
      }
      const shots = await Promise.all(
        Array.from({ length: 12 }, async (_, n) => {
          const client = newUser();
          const body = client.create(await client.beginRegistration(username));
          return shot(client, 'Registration', body, n);
        }),
      );
      const answers = await fireTogether(shots);
      const joined = `credentials c JOIN users u ON u.id = c.user_id WHERE u.username = ?`;
      expect(await countOf(site.first, joined, Buffer.from(username))).toBe(100);
      expect(accepted(answers)).toHaveLength(5);
      for (const { body } of answers.filter(({ status }) => status !== 200)) {
        expect(body.errorCode).toBe('E0043R');
      }
    }
    report({ rounds: FILLED_ROUNDS });
  });

  it('accepts no assertion twice and loses no event while clocks jump by an hour', async () => {
    // Counters of 0, as synced passkeys have them, cannot tell a repetition.
    const unchanging = { signCount: 0 };
    const client = newUser();
    const made = client.create(await client.beginRegistration('jumping'), unchanging);
    expect((await client.completeRegistration(made)).status).toBe(200);
    let signIns = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const begun = await Promise.all(
        site.servers.map(() => client.beginAuthentication('jumping')),
      );
      const bodies = begun.map((one) => client.assert(one, unchanging));
      const jumps = site.servers.map(() => (Math.floor(Math.random() * 3) - 1) * HOUR_MS);
      const jump = (sign: number) =>
        site.servers.forEach(({ clock }, n) => clock.advance(sign * (jumps[n] ?? 0)));
      jump(1);
      const answers = await fireTogether(
        bodies.flatMap((body, n) =>
          [n, n + 1, n].map((turn) => shot(client, 'Authentication', body, turn)),
        ),
      );
      for (const { status, body } of answers.filter((one) => one.status !== 200)) {
        expect([status, body.errorCode]).toEqual([408, 'E0024R']);
      }
      expect(accepted(answers).length).toBeLessThanOrEqual(bodies.length);
      signIns += accepted(answers).length;
      for (const { url } of site.servers) {
        const visitor = new FidoClient(url, { authenticator: client.authenticator });
        expect((await visitor.signIn('jumping', unchanging)).status).toBe(200);
        signIns += 1;
      }
      jump(-1);
    }
    await site.first.get(EventNumbering).catchUp();
    expect(await delivered('jumping')).toBe(signIns);
    expect(await eventsOf('jumping', 'clone-alarm')).toBe(0);
  });

  async function storedCounter(client: FidoClient) {
    const [row] = await rowsOf<{ n: number }>(
      site.first,
      'SELECT sign_count AS n FROM credentials WHERE credential_id = ?',
      client.authenticator.credentials[0]?.id as Buffer,
    );
    return row?.n;
  }

  /** How many sign-ins of a user a program finds that reads all events forward. */
  async function delivered(username: string) {
    const ids = new Set<unknown>();
    for (let after = '0', more = true; more;) {
      const path = `/userapi/events?after=${after}&limit=1000`;
      const { body } = await adminClient(site.first.url).get(path);
      const page = body as { events: EventJson[]; next: string; more: boolean };
      const found = page.events.filter(
        (one) => one.username === username && one.kind === 'authentication',
      );
      for (const { id } of found) ids.add(id);
      ({ next: after, more } = page);
    }
    return ids.size;
  }

  /** A result call of this user's session, sent to the server whose turn it is. */
  function shot(client: FidoClient, kind: 'Registration' | 'Authentication', body: unknown, n = 0) {
    const url = site.turn(n).url + client.paths[`complete${kind}`];
    const headers = { ...client.headers, cookie: `${client.cookie}` };
    return { url, body, headers } satisfies Shot;
  }
});
