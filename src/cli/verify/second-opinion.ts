import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server';
import { decodeClientDataJSON } from '@simplewebauthn/server/helpers';
import { forgetLibraryRoots } from '../../fido/registration/registration-verifier.js';
import { ALL_ALGORITHMS } from './evaluate.js';
import { RecordedCeremony } from './recorded-ceremony.js';

/**
 * Removes from `@simplewebauthn/server` everything outside the ceremony itself: its roots, since trust is
 * evaluated separately, and network access, with which it fetches revocation lists.
 *
 * @returns a function that restores network access
 */
export function isolateLibrary(): () => void {
  forgetLibraryRoots();
  const { fetch } = globalThis;
  globalThis.fetch = () => Promise.reject(new Error('nothing is fetched'));
  return () => {
    globalThis.fetch = fetch;
  };
}

/** Returns `valid`, or why `@simplewebauthn/server` refuses the recorded ceremony, in its own words. */
export async function secondOpinion(value: unknown): Promise<string> {
  const ceremony = new RecordedCeremony(value);
  try {
    const { verified } = await (ceremony.kind === 'registration'
      ? verifyRegistration(ceremony)
      : verifyAuthentication(ceremony));
    return verified ? 'valid' : 'not verified';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function verifyRegistration(ceremony: RecordedCeremony) {
  const response = partsOf(ceremony, ['clientDataJSON', 'attestationObject']);
  const { rpId, ...expectation } = expectationOf(ceremony);
  return verifyRegistrationResponse({
    ...expectation,
    response: { ...bodyOf(ceremony), response },
    expectedRPID: rpId,
    supportedAlgorithmIDs: [...(ceremony.allowedAlgorithms ?? ALL_ALGORITHMS)],
  });
}

function verifyAuthentication(ceremony: RecordedCeremony) {
  const response = partsOf(ceremony, ['clientDataJSON', 'authenticatorData', 'signature']);
  const { rpId, ...expectation } = expectationOf(ceremony);
  const body = bodyOf(ceremony);
  const appId = ceremony.text('appId');
  const topOrigins = ceremony.texts('topOrigin');
  return verifyAuthenticationResponse({
    ...expectation,
    response: { ...body, response },
    expectedRPID: appId === undefined ? rpId : [rpId, appId],
    ...(topOrigins.length > 0 ? { expectedTopOrigin: [...topOrigins] } : {}),
    credential: {
      id: body.id,
      publicKey: new Uint8Array(ceremony.bytes('publicKeyCose') ?? []),
      counter: ceremony.storedCounter,
    },
  });
}

/** The values that the library expects. Missing ones default to the client data's own values. */
function expectationOf(ceremony: RecordedCeremony) {
  const { clientDataJSON } = partsOf(ceremony, ['clientDataJSON']);
  const clientData = decodeClientDataJSON(clientDataJSON);
  const { challenge, origins } = ceremony.expectationOf(clientData);
  return {
    expectedChallenge: challenge,
    expectedOrigin: [...origins],
    requireUserVerification: ceremony.flag('requireUserVerification'),
    rpId: ceremony.rpId(clientData),
  };
}

function bodyOf(ceremony: RecordedCeremony) {
  const id = textOrEmpty(ceremony.credential?.['id'] ?? ceremony.text('credentialId') ?? 'AA');
  return { id, rawId: id, type: 'public-key', clientExtensionResults: {} } as const;
}

function partsOf<Name extends string>(ceremony: RecordedCeremony, names: readonly Name[]) {
  const parts = names.map((name) => [name, textOrEmpty(ceremony.response[name])]);
  return Object.fromEntries(parts) as Record<Name, string>;
}

const textOrEmpty = (value: unknown): string => (typeof value === 'string' ? value : '');
