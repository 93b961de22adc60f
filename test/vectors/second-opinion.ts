import {
  SettingsService,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { RS1, supportedAlgorithms } from '../../src/webauthn/algorithms.js';
import { bytes, type Ceremony } from './vectors.js';

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
 * Takes from `@simplewebauthn/server` what is not about the ceremony itself: its roots, since trust
 * is checked apart here, and the network, by which it asks for revoked certificates.
 *
 * @returns a function that gives the network back
 */
export function isolateLibrary(): () => void {
  for (const identifier of FORMATS) {
    SettingsService.setRootCertificates({ identifier, certificates: [] });
  }
  const { fetch } = globalThis;
  globalThis.fetch = () => Promise.reject(new Error('there is no network in tests'));
  return () => {
    globalThis.fetch = fetch;
  };
}

/** `valid`, or in the words of `@simplewebauthn/server` why it refuses the ceremony. */
export async function secondOpinion(entry: Ceremony): Promise<string> {
  try {
    const { verified } = await (entry.format !== null && 'attestationObject' in entry
      ? verifyRegistration(entry)
      : verifyAuthentication(entry));
    return verified ? 'valid' : 'not verified';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const bodyOf = (entry: Ceremony) => {
  const id = entry.credentialId ?? 'AA';
  return { id, rawId: id, type: 'public-key', clientExtensionResults: {} } as const;
};

const expectationOf = (entry: Ceremony) => ({
  expectedChallenge: entry.challenge,
  expectedOrigin: entry.origin,
  requireUserVerification: entry.requireUserVerification ?? false,
});

function verifyRegistration(entry: Ceremony) {
  const { clientDataJSON, attestationObject } = entry;
  return verifyRegistrationResponse({
    ...expectationOf(entry),
    response: { ...bodyOf(entry), response: { clientDataJSON, attestationObject } },
    expectedRPID: entry.rpId,
    supportedAlgorithmIDs: [...(entry.allowedAlgs ?? [...supportedAlgorithms(), RS1.id])],
  });
}

function verifyAuthentication(entry: Ceremony) {
  const { clientDataJSON, authenticatorData, signature } = entry;
  const body = bodyOf(entry);
  return verifyAuthenticationResponse({
    ...expectationOf(entry),
    response: { ...body, response: { clientDataJSON, authenticatorData, signature } },
    expectedRPID: entry.appId === undefined ? entry.rpId : [entry.rpId, entry.appId],
    ...(entry.topOrigin === undefined ? {} : { expectedTopOrigin: entry.topOrigin }),
    credential: {
      id: body.id,
      publicKey: new Uint8Array(bytes(entry.publicKeyCose)),
      counter: entry.storedCounter ?? 0,
    },
  });
}
