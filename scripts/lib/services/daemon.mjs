import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Program } from '../program.mjs';

/** What ends more often than this is not worth starting again. */
const MAX_RESTARTS = 3;

/**
 * Starts a private instance of a server and waits until `probe` finds it answering. One that ends
 * by itself is started again on the same data, and its last words are printed: a run of many
 * minutes does not fail by it. `stop` ends it and removes its folder.
 */
export async function startDaemon({ program, args, folder, probe }) {
  const daemon = new Program(program, join(folder, 'output.log'));
  // A group of its own: Ctrl-C reaches the tests first, and they still find their database.
  const launch = () => daemon.start(args, { detached: true });
  const forget = () => rmSync(folder, { recursive: true, force: true });
  let wanted = true;
  const keepUp = async () => {
    for (let restarts = 0; restarts <= MAX_RESTARTS; restarts++) {
      await daemon.ended;
      if (!wanted || restarts === MAX_RESTARTS) return;
      console.error(`\n${program} ended by itself and is started again: ${daemon.lastWords}`);
      launch();
    }
  };
  const stop = async () => {
    wanted = false;
    await daemon.end();
    process.off('exit', forget);
    forget();
  };
  process.once('exit', forget);
  launch();
  try {
    const version = await daemon.until(probe, program);
    void keepUp();
    return { version, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
