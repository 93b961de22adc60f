import type { ServerOptions } from '../../src/platform/config/server-config.js';
import { FaultyProxy } from './faulty-proxy.js';
import { createServerDatabase } from './server-database.js';
import { TestServer } from './test-server.js';

/** A server, and the proxy through which it reaches its MariaDB. */
interface ProxiedServer {
  readonly server: TestServer;
  readonly proxy: FaultyProxy;
  /** Of the database, past the proxy. */
  readonly databaseUrl: string;
  stop(): Promise<void>;
}

/** Starts a server over a database of its own on MariaDB, whose answers a test can lose. */
export async function startBehindProxy(
  options: Partial<ServerOptions> = {},
): Promise<ProxiedServer> {
  const database = await createServerDatabase('MariaDB');
  const proxy = await FaultyProxy.before(database.url);
  const server = await TestServer.start({
    database: { ...database, url: proxy.urlOf(database.url) },
    options,
  });
  const stop = async () => {
    await server.stop();
    await proxy.close();
    await database.remove();
  };
  return { server, proxy, databaseUrl: database.url, stop };
}
