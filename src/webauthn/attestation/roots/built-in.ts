import { X509Certificate } from 'node:crypto';
import { APPLE_ROOTS } from './apple.js';
import { GLOBAL_SIGN_ROOTS } from './global-sign.js';
import { GOOGLE_HARDWARE_ROOTS } from './google-hardware.js';

const PEMS: ReadonlyMap<string, readonly string[]> = new Map([
  ['apple', APPLE_ROOTS],
  ['android-key', GOOGLE_HARDWARE_ROOTS],
  ['android-safetynet', GLOBAL_SIGN_ROOTS],
]);

const ROOTS: ReadonlyMap<string, readonly Buffer[]> = new Map(
  [...PEMS].map(([format, pems]) => [format, pems.map((pem) => new X509Certificate(pem).raw)]),
);

/** The roots of a format, DER, that its only attester publishes; none where there are several attesters. */
export function builtInRoots(format: string): readonly Buffer[] {
  return ROOTS.get(format) ?? [];
}
