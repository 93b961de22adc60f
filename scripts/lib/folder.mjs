import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new folder in the temporary one. */
export const newFolder = (name) => mkdtempSync(join(tmpdir(), `servicefido-${name}-`));

/** Lends a new folder, and removes it with all that was put into it. */
export async function withFolder(name, use) {
  const folder = newFolder(name);
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
