import type { DatabaseName, TestDatabase } from '../databases.js';
import { createServerDatabase } from '../server-database.js';
import { freePort } from '../server-process.js';
import { TestServer } from '../test-server.js';
import { ProviderProcess } from './provider-process.js';

/** Two instances of a console that accounts open at an OpenID provider. */
export interface Consoles {
  readonly database: TestDatabase;
  readonly provider: ProviderProcess;
  /** The instance to which the provider sends browsers. */
  readonly server: TestServer;
  readonly other: TestServer;
  stop(): Promise<void>;
}

export async function startConsoles(on: DatabaseName): Promise<Consoles> {
  const port = await freePort();
  const database = await createServerDatabase(on);
  const provider = await ProviderProcess.start(port);
  const options = { consoleOidc: provider.file() };
  const server = await TestServer.start({ database, options, port });
  const other = await TestServer.start({ database, options });
  const stop = async () => {
    await Promise.all([server.stop(), other.stop(), provider.stop()]);
    await database.remove();
  };
  return { database, provider, server, other, stop };
}
