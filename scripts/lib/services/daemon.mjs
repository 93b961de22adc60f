import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const PATIENCE_MS = 60_000;

/** What ends more often than this is not worth starting again. */
const MAX_RESTARTS = 3;

/**
 * Starts a private instance of a server and waits until `probe` finds it answering. One that ends
 * by itself is started again on the same data, and its last words are printed: a run of many
 * minutes does not fail by it. `stop` ends it and removes its folder.
 */
export async function startDaemon({ program, args, folder, probe }) {
  const log = join(folder, 'output.log');
  let child;
  let ended;
  let running = false;
  let wanted = true;
  const launch = () => {
    const output = openSync(log, 'w');
    // A group of its own: Ctrl-C reaches the tests first, and they still find their database.
    child = spawn(program, args, { stdio: ['ignore', output, output], detached: true });
    closeSync(output);
    running = true;
    ended = new Promise((resolve) => child.once('exit', resolve).once('error', resolve));
    void ended.then(() => (running = false));
  };
  const lastWords = () => readFileSync(log, 'utf8').trim().split('\n').slice(-3).join(' | ');
  const keepUp = async () => {
    for (let restarts = 0; restarts <= MAX_RESTARTS; restarts++) {
      await ended;
      if (!wanted || restarts === MAX_RESTARTS) return;
      console.error(`\n${program} ended by itself and is started again: ${lastWords()}`);
      launch();
    }
  };
  const stop = async () => {
    wanted = false;
    child.kill();
    await ended;
    process.off('exit', abandon);
    rmSync(folder, { recursive: true, force: true });
  };
  // The last resort when this process has to go at once: nothing of the instance is worth keeping.
  const abandon = () => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', abandon);

  launch();
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      const version = await probe();
      void keepUp();
      return { version, stop };
    } catch (error) {
      if (running && Date.now() < deadline) {
        await pause(100);
        continue;
      }
      const said = lastWords();
      await stop();
      throw new Error(`${program} did not come up: ${said || error.message}`, { cause: error });
    }
  }
}
