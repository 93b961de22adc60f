import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { BOMBS } from '../support/fuzz/bombs.js';

const PROGRAM = fileURLToPath(new URL('../support/fuzz/explode.mjs', import.meta.url));

/** A process that refuses ends at once; to start it takes a busy machine many seconds. */
const LIMIT_MS = 120_000;

describe('oversized and nested input', () => {
  it.each(Object.entries(BOMBS))('a process with 256 MB refuses %s', (_, bomb) => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--max-old-space-size=256', PROGRAM],
      { input: bomb(), encoding: 'utf8', timeout: LIMIT_MS },
    );
    expect({ stdout, stderr, status }).toEqual({ stdout: 'refused\n', stderr: '', status: 0 });
  });
});
