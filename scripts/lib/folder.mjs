import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates a temporary folder. */
export const newFolder = (name) => mkdtempSync(join(tmpdir(), `servicefido-${name}-`));

/** Passes a temporary folder to `use`, and removes it with its content afterwards. */
export async function withFolder(name, use) {
  const folder = newFolder(name);
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
