import { hanko } from './hanko.js';
import { keycloak } from './keycloak.js';
import { servicefido } from './servicefido.js';
import { simplewebauthn } from './simplewebauthn.js';
import type { ReadRecords } from './source.js';

/** The readers of the import formats; a new one needs a file beside this one, and a line here. */
export const FORMATS = {
  servicefido,
  simplewebauthn,
  keycloak,
  hanko,
} as const satisfies Readonly<Record<string, ReadRecords>>;

export type FormatName = keyof typeof FORMATS;

export const FORMAT_NAMES = Object.keys(FORMATS) as readonly FormatName[];
