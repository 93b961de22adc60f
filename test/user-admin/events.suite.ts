import { AdminClient } from '../support/admin-client.js';
import { DATABASES } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { TestServer } from '../support/test-server.js';

interface ShownEvent {
  readonly at: string;
  readonly kind: string;
  readonly outcome: string;
  readonly username: string;
  readonly errorCode: string | null;
  readonly explanation: string;
  readonly requestId: string | null;
}

describe.each(DATABASES)('GET /userapi/events, on %s', (on) => {
  let server: TestServer;
  let admin: AdminClient;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    await server.addRelyingParty('other', { domain: 'other.example' });
    admin = new AdminClient(server.url, 'localhost');
  });
  afterAll(() => server.stop());

  const events = async (query: Record<string, string>, client = admin) => {
    const answer = await client.get(`/userapi/events?${new URLSearchParams(query).toString()}`);
    expect(answer).toMatchObject({ status: 200, body: { status: 'ok', errorMessage: '' } });
    return answer.body['events'] as ShownEvent[];
  };

  it('lists the events of a user, the newest first', async () => {
    const client = new FidoClient(server.url);
    await client.register('anna');
    server.clock.advance(1000);
    await client.signIn('anna');
    server.clock.advance(1000);
    const disabled = await admin.manage({ type: 'disableall', filter: 'anna' });
    server.clock.advance(1000);
    const story = await events({ user: 'anna' });
    expect(story.map(({ kind }) => kind)).toEqual([
      'disabled',
      'authentication',
      'registration',
      'user-created',
    ]);
    expect(story[0]).toMatchObject({
      username: 'anna',
      relyingParty: 'localhost',
      outcome: 'ok',
      explanation: 'A credential was disabled.',
      requestId: disabled.headers.get('x-request-id'),
    });
  });

  it('finds the reason of a refused sign-in by its request ID, without a secret', async () => {
    const client = new FidoClient(server.url);
    await client.register('bert');
    const body = client.assert(await client.beginAuthentication('bert'));
    await admin.manage({ type: 'disableall', filter: 'bert' });
    const { requestId } = (await client.completeAuthentication(body)).body;
    // Refusals are stored after the answer.
    const [event] = await eventually(async () => {
      const found = await events({ requestId: String(requestId) });
      expect(found).toHaveLength(1);
      return found;
    });
    expect(event).toMatchObject({
      kind: 'authentication-refused',
      outcome: 'refused',
      username: 'bert',
      errorCode: 'E0034R',
      explanation: 'A sign-in was refused. This key is disabled.',
    });
    expect(JSON.stringify(event)).not.toContain(body.response.signature);
    const refused = await events({ user: 'bert', outcome: 'refused' });
    expect(refused).toMatchObject([{ errorCode: 'E0034R' }]);
    expect(
      (await events({ user: 'bert', outcome: 'ok' })).every((one) => one.outcome === 'ok'),
    ).toBe(true);
  });

  it('lists events by time, page by page', async () => {
    const client = new FidoClient(server.url);
    await client.register('carla');
    for (let n = 0; n < 7; n += 1) await client.signIn('carla');
    const seen: ShownEvent[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query = new URLSearchParams({ user: 'carla', limit: '2', cursor });
      const { body } = await admin.get(`/userapi/events?${query.toString()}`);
      seen.push(...(body['events'] as ShownEvent[]));
      cursor = body['next'] as string | null;
    }
    expect(seen).toEqual(await events({ user: 'carla' }));
    expect(seen).toHaveLength(9);
    const times = seen.map(({ at }) => at);
    expect(times).toEqual([...times].sort().reverse());
    expect(await events({ user: 'carla', to: '2020-01-01' })).toEqual([]);
    expect(await events({ from: '2020-01-01' })).not.toEqual([]);
  });

  it('excludes the events of another relying party', async () => {
    const other = new AdminClient(server.url, 'other.example');
    const [event] = await events({ user: 'anna' });
    expect(await events({}, other)).toEqual([]);
    expect(await events({ user: 'anna' }, other)).toEqual([]);
    expect(await events({ requestId: String(event?.requestId) }, other)).toEqual([]);
  });

  it.each([
    'from=2024-02-30',
    'to=yesterday',
    'from=2024-13-01',
    'outcome=bad',
    'limit=0',
    'cursor=AAAA',
    'user=a&user=b',
    'user=%00',
    'requestId=%27',
  ])('GET /userapi/events is refused for %s (E0045R)', async (query) => {
    const answer = await admin.get(`/userapi/events?${query}`);
    expect(answer).toMatchObject({ status: 400, body: { errorCode: 'E0045R' } });
  });
});
