import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const PATIENCE_MS = 60_000;

/** A new folder for one private instance. */
export const newFolder = (name) => mkdtempSync(join(tmpdir(), `servicefido-${name}-`));

/**
 * Starts a private instance of a server and waits until `probe` finds it answering.
 * `stop` ends it and removes its folder.
 */
export async function startDaemon({ program, args, folder, probe }) {
  const log = join(folder, 'output.log');
  const output = openSync(log, 'w');
  // A group of its own: Ctrl-C reaches the tests first, and they still find their database.
  const child = spawn(program, args, { stdio: ['ignore', output, output], detached: true });
  closeSync(output);
  const ended = new Promise((resolve) => child.once('exit', resolve).once('error', resolve));
  let running = true;
  void ended.then(() => (running = false));
  const stop = async () => {
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

  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return { version: await probe(), stop };
    } catch (error) {
      if (running && Date.now() < deadline) {
        await pause(100);
        continue;
      }
      const said = readFileSync(log, 'utf8').trim().split('\n').slice(-3).join(' | ');
      await stop();
      throw new Error(`${program} did not come up: ${said || error.message}`, { cause: error });
    }
  }
}
