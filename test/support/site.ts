import type { ServerOptions } from '../../src/platform/config/server-config.js';
import { DATABASES, EVERY_DATABASE, REDIS_URL, type TestDatabase } from './databases.js';
import { createServerDatabase } from './server-database.js';
import { TestServer } from './test-server.js';

/** Two instances can only share MariaDB and Redis; `npm test` says when these are missing. */
const CAN_CLUSTER = REDIS_URL !== undefined && EVERY_DATABASE.includes('MariaDB');

export const SITES = [
  ...DATABASES.map((on) => `one instance on ${on}`),
  ...(CAN_CLUSTER ? ['two instances on MariaDB and Redis'] : []),
];

/** In a race one user calls as often as thousands. */
const UNLIMITED = { rateAddress: 1e9, rateUser: 1e9, rateCertificates: 1e9 };

/** One service: a single server, or two that share a database and a session store. */
export class Site {
  private constructor(
    readonly servers: readonly [TestServer, ...TestServer[]],
    private readonly shared?: TestDatabase,
  ) {}

  /** @param name one of SITES */
  static async start(name: string, more: Partial<ServerOptions> = {}): Promise<Site> {
    const on = DATABASES.find((database) => name === `one instance on ${database}`);
    const alone = { ...UNLIMITED, ...more };
    if (on) return new Site([await TestServer.start({ on, options: alone })]);
    const shared = await createServerDatabase('MariaDB');
    const options = { ...alone, sessions: `${REDIS_URL}` };
    const servers = await Promise.all([
      TestServer.start({ database: shared, options }),
      TestServer.start({ database: shared, options }),
    ]);
    return new Site(servers, shared);
  }

  get first(): TestServer {
    return this.servers[0];
  }

  /** The server whose turn it is. */
  turn(n: number): TestServer {
    return this.servers[n % this.servers.length] as TestServer;
  }

  async stop(): Promise<void> {
    for (const server of this.servers) await server.stop();
    await this.shared?.remove();
  }
}
