import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { inProject, Refusal } from './project.mjs';

export const OPENAPI_FILE = 'dist/openapi.json';

/** Writes the OpenAPI document if the last build is newer. A process of its own loads the server for it. */
export function ensureOpenApi() {
  if (modified(OPENAPI_FILE) > modified('dist/main.js')) return;
  const { status } = spawnSync(process.execPath, [inProject('scripts/openapi.mjs')], {
    stdio: 'inherit',
  });
  if (status !== 0) throw new Refusal('The OpenAPI document could not be written.');
}

const modified = (path) => statSync(inProject(path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
