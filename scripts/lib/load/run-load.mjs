import { ensureBuild } from '../build.mjs';
import { sizeAndStore } from '../harness.mjs';
import { OwnServer } from '../own-server.mjs';
import { run } from '../run.mjs';
import { createStore } from './stores.mjs';

/**
 * Runs a load on its own server, with the size on the command line, and ends the process.
 *
 * @param usual the default size
 * @param work receives `size`, a `server` that is not started yet, and its `store`
 */
export async function runLoad({ usual }, work) {
  await run(async () => {
    const { size, store: kind } = sizeAndStore(usual);
    ensureBuild();
    const server = new OwnServer();
    const store = await createStore(kind, server);
    try {
      await work({ size, server, store });
    } finally {
      await server.remove();
      await store.remove();
    }
  });
  process.exit();
}
