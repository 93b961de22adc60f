import { REDIS_URL } from '../support/databases.js';
import { FaultyProxy } from '../support/faulty-proxy.js';
import { FidoClient } from '../support/fido-client.js';
import { describeWith } from '../support/needs.js';
import {
  CALLBACK,
  addClient,
  authorizationRequest,
  discover,
  startIssuer,
  type IssuedClient,
} from '../support/oidc-issuer.js';
import { createServerDatabase } from '../support/server-database.js';
import type { TestServer } from '../support/test-server.js';

const OUTAGE = 'temporarily_unavailable';

describeWith('MariaDB', 'Redis')('OpenID Connect while its stores do not answer', () => {
  let server: TestServer;
  let shop: IssuedClient;
  let toDatabase: FaultyProxy;
  let toSessions: FaultyProxy;
  let remove: () => Promise<void>;
  beforeAll(async () => {
    const database = await createServerDatabase('MariaDB');
    toDatabase = await FaultyProxy.before(database.url);
    toSessions = await FaultyProxy.before(String(REDIS_URL));
    server = await startIssuer({
      database: { ...database, url: toDatabase.urlOf(database.url) },
      options: { sessions: toSessions.urlOf(String(REDIS_URL)) },
    });
    remove = () => database.remove();
    await new FidoClient(server.url).register('alice');
    shop = await addClient(server);
  });
  afterAll(async () => {
    await server.stop();
    await Promise.all([toDatabase.close(), toSessions.close()]);
    await remove();
  });

  it('shows a page with status 503 while the session store is away', async () => {
    const { address } = await authorizationRequest(await discover(shop));
    const init = { headers: { accept: 'text/html' } };
    expect(await unavailable(toSessions, address, init)).toContain(OUTAGE);
  });

  it.each(['/token', '/token/revocation'])(
    'answers a call of an application to %s with 503 while the database is away',
    async (path) => {
      const body = new URLSearchParams({
        grant_type: 'authorization_code',
        code: 'the-code',
        code_verifier: 'v'.repeat(43),
        redirect_uri: CALLBACK,
        token: 'the-token',
        client_id: shop.clientId,
        client_secret: String(shop.secret),
      });
      const init = { method: 'POST', body };
      const text = await unavailable(toDatabase, `${shop.issuer}${path}`, init);
      expect(JSON.parse(text)).toMatchObject({ error: OUTAGE });
    },
  );

  /** Sends a request that needs what is behind the proxy while nothing passes it; answers the text of the answer. */
  async function unavailable(proxy: FaultyProxy, address: URL | string, init: RequestInit) {
    proxy.dieAfter(0);
    const answer = await fetch(address, init);
    const text = await answer.text();
    proxy.revive();
    const requestId = answer.headers.get('x-request-id');
    // Level 50: faults.
    const faults = server.logged.filter((line) => line['level'] === 50);
    expect(faults.filter((line) => line['requestId'] === requestId)).toEqual([]);
    expect(server.loggedOf(requestId)).toMatchObject({ status: 503, code: 'E0052R' });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    return text;
  }
});
