import { existsSync, readFileSync, statSync } from 'node:fs';
import { must } from './must.mjs';
import { inProject, readJson } from './project.mjs';

export const OPENAPI_FILE = 'dist/openapi.json';

/** The path of a release's document. */
export const keptApiFile = (version) => `docs/api/${version}.json`;

/** The stored document of a release as text, or undefined. */
export function keptApi(version) {
  const file = inProject(keptApiFile(version));
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** The document of this build, in the stored form. */
export const minifiedApi = () => `${JSON.stringify(readJson(OPENAPI_FILE))}\n`;

/** Writes the OpenAPI document if the last build is newer. A separate process loads the server for it. */
export function ensureOpenApi() {
  if (modified(OPENAPI_FILE) > modified('dist/main.js')) return;
  must(process.execPath, 'scripts/openapi.mjs');
}

const modified = (path) => statSync(inProject(path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
