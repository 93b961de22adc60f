import {
  SettingsService,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { ALG } from '../../../packages/testing/src/key-pair.js';
import {
  SoftAuthenticator,
  type SoftAuthenticatorOptions,
} from '../../../packages/testing/src/soft-authenticator.js';
import { attestationRoot } from '../../../packages/testing/src/attester.js';
import { type Attestation } from '../../../packages/testing/src/statements.js';
import { base64url, sha256 } from '../../../packages/testing/src/structures.js';
import { CHALLENGE, ORIGIN, RP_ID } from './ceremony.js';

/** The verdict of another library on a registration and an assertion of the authenticator. */
async function secondOpinion(device: SoftAuthenticatorOptions): Promise<unknown> {
  const authenticator = new SoftAuthenticator(device);
  const creation = authenticator.create(
    {
      challenge: CHALLENGE,
      rp: { id: RP_ID },
      user: { id: base64url(sha256('user')) },
      pubKeyCredParams: [{ alg: ALG.ES256 }],
    },
    { origin: ORIGIN },
  );
  const common = { expectedChallenge: CHALLENGE, expectedOrigin: ORIGIN };
  const registration = await verifyRegistrationResponse({
    ...common,
    response: { ...creation, response: { ...creation.response, transports: ['internal'] } },
    expectedRPID: RP_ID,
    supportedAlgorithmIDs: Object.values(ALG),
  });
  const credential = registration.registrationInfo?.credential;
  if (credential === undefined) return 'registration refused';
  const assertion = await verifyAuthenticationResponse({
    ...common,
    response: authenticator.get({ challenge: CHALLENGE, rpId: RP_ID }, { origin: ORIGIN }),
    expectedRPID: RP_ID,
    credential,
  });
  return assertion.verified;
}

describe('SoftAuthenticator', () => {
  const pem = `-----BEGIN CERTIFICATE-----\n${attestationRoot().certificate.toString('base64')}\n-----END CERTIFICATE-----`;

  it.each<Attestation>(['none', 'packed-self', 'packed', 'fido-u2f'])(
    'another library accepts a ceremony with the attestation %s',
    async (attestation) => {
      SettingsService.setRootCertificates({ identifier: 'packed', certificates: [pem] });
      SettingsService.setRootCertificates({ identifier: 'fido-u2f', certificates: [pem] });
      await expect(secondOpinion({ attestation })).resolves.toBe(true);
    },
  );

  it.each([
    'ES256',
    'ES384',
    'ES512',
    'EdDSA',
    'RS256',
    'RS384',
    'RS512',
    'PS256',
    'PS384',
    'PS512',
  ] as const)('another library accepts a ceremony with the algorithm %s', async (name) => {
    const device = { algorithm: ALG[name], attestation: 'packed-self' } as const;
    await expect(secondOpinion(device)).resolves.toBe(true);
  });
});
