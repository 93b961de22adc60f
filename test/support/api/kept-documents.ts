import { readFileSync, readdirSync } from 'node:fs';
import { projectPath } from '../../../src/platform/project.js';
import type { Document } from './openapi.js';

/** The stored OpenAPI document of the newest release, and its version. */
export function newestKeptDocument(): { version: string; document: Document } {
  const versions = readdirSync(projectPath('docs/api')).map((file) => file.replace(/\.json$/, ''));
  const newest = versions
    .sort((one, other) => one.localeCompare(other, 'en', { numeric: true }))
    .at(-1);
  const text = readFileSync(projectPath(`docs/api/${newest}.json`), 'utf8');
  return { version: newest ?? '', document: JSON.parse(text) as Document };
}
