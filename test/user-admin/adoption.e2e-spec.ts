import { RefusalLog } from '../../src/fido/refusal-log.js';
import { AdminClient } from '../support/admin-client.js';
import { SoftAuthenticator } from '../support/authenticator/soft-authenticator.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { TestServer } from '../support/test-server.js';

const MODEL = 'ee882879-721c-4913-9775-3dfcce97072a';
const ANONYMOUS = '00000000-0000-0000-0000-000000000000';
const WEEK_MS = 7 * 86_400_000;
const DOMAIN = 'adoption.example';

describe.each(DATABASES)('how people take to their keys, on %s', (on) => {
  let server: TestServer;
  let admin: AdminClient;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    for (const domain of [DOMAIN, 'other.example'])
      await server.addRelyingParty('acme', { domain });
    admin = new AdminClient(server.url, DOMAIN);
  });
  afterAll(() => server.stop());

  const person = (backupEligible: boolean, aaguid: string, relyingParty = DOMAIN) =>
    new FidoClient(server.url, {
      relyingParty,
      origin: `https://${relyingParty}`,
      authenticator: new SoftAuthenticator({
        backupEligible,
        aaguid: Buffer.from(aaguid.replaceAll('-', ''), 'hex'),
      }),
    });

  it('tells nothing of a relying party where nobody is', async () => {
    const { status, body } = await admin.get('/userapi/adoption');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      relyingParty: DOMAIN,
      ceremonies: { registrations: { finished: 0, refused: 0 }, refusals: [] },
      keys: { total: 0, complete: true },
      models: [],
    });
    expect(body['weeks']).toHaveLength(12);
    expect(body).not.toHaveProperty('move');
  });

  it('counts ceremonies, models, first and further keys, synced and bound ones, by week', async () => {
    const anna = person(false, MODEL);
    expect((await anna.register('anna')).status).toBe(200);
    expect((await anna.signIn('anna')).status).toBe(200);
    expect((await anna.signIn('anna', { rpIdHash: Buffer.alloc(32) })).status).toBe(401);
    await server.get(RefusalLog).flush();
    await person(true, ANONYMOUS, 'other.example').register('elsewhere');
    server.clock.advance(WEEK_MS);
    expect((await person(true, ANONYMOUS).register('anna')).status).toBe(200);
    expect((await person(true, ANONYMOUS).register('ben')).status).toBe(200);
    const { body } = await admin.get('/userapi/adoption');
    const counts = { total: 3, first: 2, further: 1, synced: 2, bound: 1, complete: true };
    expect(body['keys']).toEqual(counts);
    expect(body['models']).toMatchObject([
      { aaguid: ANONYMOUS, keys: 2, synced: 2, bound: 0 },
      { aaguid: MODEL, keys: 1, synced: 0, bound: 1 },
    ]);
    const weeks = body['weeks'] as readonly object[];
    expect(weeks.slice(-2)).toMatchObject([
      { registrations: 1, first: 1, further: 0, synced: 0, bound: 1 },
      { registrations: 2, first: 1, further: 1, synced: 2, bound: 0 },
    ]);
    // The hour of a week ago counts as a whole.
    const { registrations } = body['ceremonies'] as { registrations: { finished: number } };
    expect([2, 3]).toContain(registrations.finished);
  });

  it('counts refusals by their code', async () => {
    const ida = person(false, MODEL);
    await ida.register('ida');
    expectRefusal(await ida.signIn('ida', { rpIdHash: Buffer.alloc(32) }), 'E0030R');
    await server.get(RefusalLog).flush();
    const { body } = await admin.get('/userapi/adoption');
    expect(body['ceremonies']).toMatchObject({
      authentications: { refused: 2 },
      refusals: [{ errorCode: 'E0030R', registrations: 0, authentications: 2 }],
    });
  });

  it('refuses a relying party that is not there', async () => {
    expectRefusal(await admin.get('/userapi/adoption?relyingParty=nobody.example'), 'E0025R', 400);
  });
});
