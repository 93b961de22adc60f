import type { ServerOptions } from '../../src/platform/config/server-config.js';
import type { TestDatabase } from './databases.js';
import { TestServer } from './test-server.js';

/** Starts a server over a database, which brings it up to date, and stops it again. */
export async function startOnce(
  { url }: Pick<TestDatabase, 'url'>,
  options: Partial<ServerOptions> = {},
): Promise<void> {
  const database = { url, remove: () => Promise.resolve() };
  const server = await TestServer.start({ database, options });
  await server.stop();
}
