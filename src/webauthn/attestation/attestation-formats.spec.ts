import { createAttestedKey } from '../../../test/support/authenticator/attested-key.js';
import { register } from '../../../test/support/authenticator/ceremony.js';
import { failureOf } from '../../../test/support/authenticator/failure-of.js';
import type { Attestation } from '../../../packages/testing/src/statements.js';
import { parseClientData } from '../client-data.js';
import { verifyAttestation } from './attestation-formats.js';
import { ATTESTATION_FORMATS } from './format.js';

const CLIENT_DATA = parseClientData(
  Buffer.from('{"type":"webauthn.create","challenge":"AAAA","origin":"https://example.com"}'),
);

/** The failure of an empty statement of this format. */
function refusal(format: string, statement: 'map' | 'array' = 'map'): string | undefined {
  const subject = createAttestedKey();
  const input = subject.input(statement === 'map' ? new Map() : []);
  return failureOf(() =>
    verifyAttestation(format, {
      ...input,
      clientDataHash: CLIENT_DATA.hash,
      at: new Date('2026-01-01T00:00:00Z'),
      acceptsEndedFormats: true,
    }),
  );
}

describe('the validity of attestation certificates', () => {
  const late = { at: new Date('2070-01-01T00:00:00Z') };
  const refusalOf = (attestation: Attestation) =>
    failureOf(() => register({ device: { attestation }, expected: late }));

  it.each(['packed', 'fido-u2f'] as const)('refuses an expired %s certificate', (format) => {
    expect(refusalOf(format)).toBe('certificate-path');
  });

  it('accepts android-key certificates after the maker’s own certificates have expired', () => {
    expect(refusalOf('android-key')).toBeUndefined();
  });
});

describe('the attestation formats', () => {
  it('supports every attestation format of the standard (WebAuthn L3 §8)', () => {
    expect(ATTESTATION_FORMATS).toEqual([
      'none',
      'packed',
      'fido-u2f',
      'apple',
      'android-key',
      'tpm',
      'android-safetynet',
      'compound',
    ]);
  });

  it.each(['packed', 'apple', 'android-key', 'tpm', 'android-safetynet', 'compound'])(
    'refuses an empty %s statement as malformed, not as of an unknown format',
    (format) => {
      expect(refusal(format)).toBe('attestation-malformed');
    },
  );

  it('accepts any AAGUID without attestation, but only an empty statement', () => {
    expect(refusal('none')).toBeUndefined();
    expect(refusal('none', 'array')).toBe('attestation-malformed');
  });

  it.each(['tpm2', 'packed2', 'a'.repeat(32), 'a'.repeat(33), '', 'NONE', '__proto__'])(
    'refuses the attestation format %j as unknown',
    (format) => {
      expect(refusal(format)).toBe('attestation-format-unknown');
    },
  );
});
