import {
  parseAuthentication,
  type VerifiedAuthentication,
  verifyAuthentication,
} from '../../../src/webauthn/authentication.js';
import { checkClientData } from '../../../src/webauthn/client-data.js';
import { supportedAlgorithms } from '../../../src/webauthn/keys/algorithms.js';
import { importCoseKey } from '../../../src/webauthn/keys/cose-key.js';
import {
  parseRegistration,
  type RegistrationExpectation,
  type VerifiedRegistration,
  verifyRegistration,
} from '../../../src/webauthn/registration.js';
import type { RegistrationBody } from '../../../packages/testing/src/ceremony-json.js';
import {
  SoftAuthenticator,
  type SoftAuthenticatorOptions,
} from '../../../packages/testing/src/soft-authenticator.js';
import { base64url, sha256 } from '../../../packages/testing/src/structures.js';
import type {
  AuthenticationTweaks,
  RegistrationTweaks,
} from '../../../packages/testing/src/tweaks.js';

/** One relying party and one challenge, for specs of the core without a server. */
export const RP_ID = 'example.com';
export const ORIGIN = 'https://example.com';
export const CHALLENGE = base64url(sha256('challenge'));
const USER_HANDLE = base64url(sha256('user'));

export interface RegistrationCase {
  readonly device?: SoftAuthenticatorOptions;
  readonly tweaks?: RegistrationTweaks;
  readonly expected?: Partial<RegistrationExpectation>;
}

/** Lets an authenticator register and checks the answer. */
export function register({
  device,
  tweaks,
  expected,
}: RegistrationCase = {}): VerifiedRegistration {
  return verifyBody(registrationBody({ device: device ?? {}, tweaks: tweaks ?? {} }), expected);
}

/** The answer of an authenticator to a creation call, not checked. */
export function registrationBody({ device, tweaks }: RegistrationCase = {}): RegistrationBody {
  const options = {
    challenge: CHALLENGE,
    rp: { id: RP_ID },
    user: { id: USER_HANDLE },
    pubKeyCredParams: [{ alg: -7 }],
  };
  return new SoftAuthenticator(device).create(options, { origin: ORIGIN, tweaks: tweaks ?? {} });
}

/** Checks a registration body. */
export function verifyBody(
  body: RegistrationBody,
  expected: Partial<RegistrationExpectation> = {},
): VerifiedRegistration {
  const parsed = parseRegistration({
    clientDataJSON: Buffer.from(body.response.clientDataJSON, 'base64url'),
    attestationObject: Buffer.from(body.response.attestationObject, 'base64url'),
  });
  return verifyRegistration(parsed, {
    challenge: CHALLENGE,
    origins: [ORIGIN],
    topOrigins: [],
    rpIdHash: sha256(RP_ID),
    userVerificationRequired: false,
    algorithms: supportedAlgorithms(),
    credentialId: Buffer.from(body.id, 'base64url'),
    ...expected,
  });
}

export interface AuthenticationCase {
  readonly device?: SoftAuthenticatorOptions;
  readonly tweaks?: AuthenticationTweaks;
  readonly userVerificationRequired?: boolean;
  /** BE as it was at registration; by default as the device has it. */
  readonly storedBackupEligible?: boolean;
}

/** Lets an authenticator register and sign in, and checks the assertion. */
export function signIn(test: AuthenticationCase = {}): VerifiedAuthentication {
  const { device = {}, tweaks = {} } = test;
  const authenticator = new SoftAuthenticator(device);
  const registered = verifyBody(
    authenticator.create(
      {
        challenge: CHALLENGE,
        rp: { id: RP_ID },
        user: { id: USER_HANDLE },
        pubKeyCredParams: [{ alg: -7 }],
      },
      { origin: ORIGIN },
    ),
  );
  const { response } = authenticator.get(
    { challenge: CHALLENGE, rpId: RP_ID },
    { origin: ORIGIN, tweaks },
  );
  const parsed = parseAuthentication({
    clientDataJSON: Buffer.from(response.clientDataJSON, 'base64url'),
    authenticatorData: Buffer.from(response.authenticatorData, 'base64url'),
    signature: Buffer.from(response.signature, 'base64url'),
  });
  checkClientData(parsed.clientData, {
    type: 'webauthn.get',
    challenge: CHALLENGE,
    origins: [ORIGIN],
    topOrigins: [],
  });
  const key = importCoseKey(registered.publicKey);
  const backupEligible = test.storedBackupEligible ?? registered.backupEligible;
  return verifyAuthentication(
    parsed,
    { key, backupEligible },
    {
      rpIdHash: sha256(RP_ID),
      userVerificationRequired: test.userVerificationRequired ?? false,
    },
  );
}
