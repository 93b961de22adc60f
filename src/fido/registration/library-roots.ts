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
 * Takes its roots from `@simplewebauthn/server`, since trust is evaluated apart here. Without roots it
 * follows no path, and so asks nobody for revoked certificates.
 */
export function forgetLibraryRoots(): void {
  for (const identifier of FORMATS) {
    SettingsService.setRootCertificates({ identifier, certificates: [] });
  }
}
