import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FOLDER = mkdtempSync(join(tmpdir(), 'servicefido-test-'));
process.once('exit', () => rmSync(FOLDER, { recursive: true, force: true }));

/** Writes a file that is removed when this process ends, and returns its path. */
export function testFile(content: string | Buffer): string {
  const path = join(FOLDER, randomUUID());
  writeFileSync(path, content);
  return path;
}
