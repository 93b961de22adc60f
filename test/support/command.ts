import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { format } from 'node:util';
import { jest } from '@jest/globals';
import { run } from '../../src/cli/run.js';
import { Clock } from '../../src/platform/common/clock.js';
import type { TestDatabase } from './databases.js';
import type { Run } from './server-process.js';
import { ADMIN } from './test-server.js';

/** A busy machine opens a connection late, and the command says so. */
const WAITING = /^The database does not answer yet .*\n/gm;

/**
 * Runs a command as `runProgram` does, but in this process: loading all modules again takes longer than the command.
 * For commands that end by themselves and set no exit code.
 *
 * @param speed how many seconds of a lease pass for the command in a real one
 */
export async function runCommandHere(args: readonly string[], speed = 1): Promise<Run> {
  const output = { log: '', error: '' };
  const spies = (['log', 'error'] as const).map((stream) =>
    jest.spyOn(console, stream).mockImplementation((...words: unknown[]) => {
      output[stream] += `${format(...words)}\n`;
    }),
  );
  const written = jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    output.log += String(text);
    return true;
  });
  const timers = jest.spyOn(Clock.prototype, 'timer').mockImplementation((ms) => ms / speed);
  try {
    const code = await run(args, {});
    return { code, stdout: output.log, stderr: output.error.replace(WAITING, '') };
  } finally {
    for (const spy of [...spies, written, timers]) spy.mockRestore();
  }
}

/**
 * Runs commands here on a database whose server is in this process, too. They are given its
 * administrator's password, so that they make none.
 */
export const commandsOn =
  ({ url }: Pick<TestDatabase, 'url'>, speed?: number) =>
  (...words: readonly string[]): Promise<Run> =>
    runCommandHere(
      [
        ...words,
        ...['--db', url, '--admin-password', ADMIN.hash],
        // For the log of the commands; of SQLite it is beside the database.
        ...['--data', join(tmpdir(), 'servicefido-commands')],
      ],
      speed,
    );
