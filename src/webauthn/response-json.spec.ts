import { parseAuthentication } from './authentication.js';
import { CeremonyError } from './failure.js';
import { parseRegistration } from './registration.js';
import { assertionResponse, attestationResponse } from './response-json.js';

const clientDataJSON = Buffer.from(
  JSON.stringify({ type: 'webauthn.get', challenge: 'AAAA', origin: 'https://a.test' }),
).toString('base64url');
const authenticatorData = Buffer.alloc(37).toString('base64url');

function failureOf(step: () => unknown): string {
  try {
    step();
  } catch (error) {
    if (error instanceof CeremonyError) return error.failure;
    throw error;
  }
  return 'none';
}

describe('response as JSON', () => {
  it.each([
    [{}, 'client-data-missing'],
    [{ clientDataJSON: null }, 'client-data-missing'],
    [{ clientDataJSON: 1 }, 'client-data-malformed'],
    [{ clientDataJSON: '' }, 'client-data-malformed'],
    [{ clientDataJSON: 'AR' }, 'client-data-malformed'],
    [{ clientDataJSON: 'AQ==' }, 'client-data-malformed'],
    [{ clientDataJSON: 'AQ' }, 'client-data-malformed'],
    [{ clientDataJSON }, 'authenticator-data-missing'],
    [{ clientDataJSON, authenticatorData: 'A' }, 'authenticator-data-malformed'],
    [{ clientDataJSON, authenticatorData: 'AQ' }, 'authenticator-data-malformed'],
    [{ clientDataJSON, authenticatorData }, 'signature-encoding'],
    [{ clientDataJSON, authenticatorData, signature: 'A+' }, 'signature-encoding'],
    [{ clientDataJSON, authenticatorData, signature: 'AQ' }, 'none'],
  ])('parses the assertion %j: %s', (json, failure) => {
    const response = {
      clientDataJSON: undefined,
      authenticatorData: undefined,
      signature: undefined,
    };
    const evaluated = () => parseAuthentication(assertionResponse({ ...response, ...json }));
    expect(failureOf(evaluated)).toBe(failure);
  });

  it.each([
    [{}, 'client-data-missing'],
    [{ clientDataJSON: 'AQ' }, 'client-data-malformed'],
    [{ clientDataJSON }, 'attestation-object-encoding'],
    [{ clientDataJSON, attestationObject: 'AR' }, 'attestation-object-encoding'],
    [{ clientDataJSON, attestationObject: 'AQ' }, 'attestation-malformed'],
  ])('parses the attestation %j: %s', (json, failure) => {
    const response = { clientDataJSON: undefined, attestationObject: undefined };
    const evaluated = () => parseRegistration(attestationResponse({ ...response, ...json }));
    expect(failureOf(evaluated)).toBe(failure);
  });
});
