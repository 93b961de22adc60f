import { ensureBuild } from '../build.mjs';
import { sizeAndStore, sizeFrom } from '../harness.mjs';
import { OwnServer } from '../own-server.mjs';
import { run } from '../run.mjs';
import { createStore } from './stores.mjs';

/**
 * Runs a load on its own server, with the size on the command line, and ends the process.
 *
 * @param usual the default size
 * @param on the databases to run on, one after another; by default the one that `--store` names
 * @param work receives `size`, a `server` that is not started yet, and its `store`
 */
export async function runLoad({ usual, on }, work) {
  await run(async () => {
    const { size, store: named } = on
      ? { size: sizeFrom(process.argv.slice(2), usual) }
      : sizeAndStore(usual);
    ensureBuild();
    for (const kind of on ?? [named]) {
      const server = new OwnServer();
      const store = await createStore(kind, server);
      try {
        await work({ size, server, store });
      } finally {
        await server.remove();
        await store.remove();
      }
    }
  });
  process.exit();
}
