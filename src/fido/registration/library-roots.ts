import { SettingsService } from '@simplewebauthn/server';

const FORMATS = [
  'none',
  'packed',
  'fido-u2f',
  'tpm',
  'apple',
  'android-key',
  'android-safetynet',
] as const;

/**
 * Removes the root certificates from `@simplewebauthn/server`, since this server evaluates trust itself.
 * Without roots the library validates no certificate paths, and so fetches no revocation lists.
 */
export function forgetLibraryRoots(): void {
  for (const identifier of FORMATS) {
    SettingsService.setRootCertificates({ identifier, certificates: [] });
  }
}
