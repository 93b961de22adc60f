import { once } from 'node:events';
import { createServer } from 'node:net';
import { OptionMistakes } from '../../platform/config/option-types.js';
import type { ServerOptions } from '../../platform/config/server-config.js';

const PORTS_TRIED = 10;
const MAX_PORT = 65_535;
/** Error codes for a host to listen on that is unknown, or belongs to another machine. */
const FOREIGN = ['ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL', 'EINVAL'];

/**
 * Listens briefly: a server that could not get its port later would already have changed the database.
 *
 * @throws OptionMistakes if the server cannot listen there
 */
export async function requireAddress(options: ServerOptions): Promise<void> {
  const probe = createServer();
  try {
    await once(probe.listen(options.port, options.host), 'listening');
  } catch (error) {
    throw await listenRefusal(error, options);
  }
  await new Promise((resolve) => probe.close(resolve));
}

/** Says which option is wrong, if the error of a server that does not listen has its cause in one. */
export async function listenRefusal(error: unknown, options: ServerOptions): Promise<unknown> {
  const { host, port } = options;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'EADDRINUSE') {
    const next = await nextFreePort(options);
    const proposal = next === undefined ? '' : `; try --port ${next}`;
    return new OptionMistakes([`--port ${port} on ${host} is in use already${proposal}`]);
  }
  if (code === 'EACCES') return new OptionMistakes([`--port: ${port} is not allowed to this user`]);
  if (!FOREIGN.includes(code)) return error;
  return new OptionMistakes([`--host: ${host} is not an address of this machine`]);
}

/** The first port after a used one that is free at this moment; `undefined` if none of the next ten is. */
async function nextFreePort({ host, port }: ServerOptions): Promise<number | undefined> {
  for (let next = port + 1; next <= Math.min(port + PORTS_TRIED, MAX_PORT); next += 1) {
    const probe = createServer();
    const isFree = await once(probe.listen(next, host), 'listening').then(
      () => true,
      () => false,
    );
    probe.close();
    if (isFree) return next;
  }
  return undefined;
}
