import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A path in the installed project; `src` and `dist` are both one level below its root. */
export const projectPath = (relative: string): string =>
  fileURLToPath(new URL(`../../${relative}`, import.meta.url));

const manifest = JSON.parse(readFileSync(projectPath('package.json'), 'utf8')) as {
  version: string;
};

export const PRODUCT_VERSION = manifest.version;
