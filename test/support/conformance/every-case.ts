import type { AuthenticationCase, RegistrationCase } from './conformance-case.js';
import { AUTHENTICATOR_DATA, CONTAINERS } from './container-cases.js';
import { AAGUID, COMPROMISED } from './models.js';
import { PLATFORM_CASES } from './platform-cases.js';
import { STATEMENT_CASES } from './statement-cases.js';
import {
  AUTHENTICATION_CLIENT_DATA,
  AUTHENTICATION_STRUCTURE,
  REGISTRATION_CLIENT_DATA,
  REGISTRATION_STRUCTURE,
} from './structure-cases.js';

/** Cases of the tool that have no test here, and why. */
export const NOT_AUTOMATED: Readonly<Record<string, string>> = {
  'Resp-4 P-1': 'secp256k1 awaits its number; the tool sends nothing',
  'Resp-9 P-3': 'taken out of the tool: a name whose hash is not nameAlg is refused today',
};

/** An authenticator with a full attestation. */
export const fullAttestation = (aaguid: Buffer) => ({ attestation: 'packed', aaguid }) as const;

const METADATA_CASES: readonly RegistrationCase[] = [
  {
    id: 'Metadata P-1',
    words: 'an authenticator of the valid BLOB',
    device: fullAttestation(AAGUID.full),
  },
  ...COMPROMISED.map(({ status, aaguid }) => ({
    id: 'Metadata F-1',
    words: `the status is ${status}`,
    device: fullAttestation(aaguid),
    code: 'E0038R',
  })),
  {
    id: 'Metadata F-2',
    words: 'the signature of its BLOB does not verify',
    device: fullAttestation(AAGUID.unsigned),
    code: 'E0038R',
  },
  {
    id: 'Metadata F-3',
    words: 'the certificate chain of its BLOB does not verify',
    device: fullAttestation(AAGUID.unchained),
    code: 'E0038R',
  },
  {
    id: 'Metadata F-4',
    words: 'the intermediate that issued the signer of its BLOB is revoked',
    device: fullAttestation(AAGUID.revokedIntermediate),
    code: 'E0038R',
  },
  {
    id: 'Metadata F-5',
    words: 'the signer of its BLOB is revoked',
    device: fullAttestation(AAGUID.revokedLeaf),
    code: 'E0038R',
  },
  {
    id: 'Metadata',
    words: 'no BLOB contains the AAGUID',
    device: { ...fullAttestation(AAGUID.unknown) },
    code: 'E0038R',
  },
];

/** Cases about the response itself come from an authenticator that the metadata know. */
function onFull(test: RegistrationCase): RegistrationCase {
  return { ...test, device: { ...fullAttestation(AAGUID.full), ...test.device } };
}

/** Cases with a title each: `words` are a clause in a refused case, and a noun in an accepted one. */
const titled = <T extends { readonly id: string; readonly words: string; readonly code?: string }>(
  prefix: string,
  ceremony: string,
  cases: readonly T[],
) =>
  cases.map((test) => {
    const { id, words, code } = test;
    const outcome =
      code === undefined ? `accepts ${words}` : `refuses a ${ceremony} if ${words} (${code})`;
    return [`${prefix}${id}: ${outcome}`, test] as const;
  });

/** The cases that the tool sends to the result call of a registration, with titles. */
export const MAKE_CREDENTIAL_CASES = titled<RegistrationCase>('MakeCredential ', 'registration', [
  ...REGISTRATION_STRUCTURE.map(onFull),
  ...REGISTRATION_CLIENT_DATA.map(onFull),
  ...CONTAINERS,
  ...STATEMENT_CASES,
  ...PLATFORM_CASES,
  ...METADATA_CASES,
]);

/** The cases that the tool sends to the result call of a sign-in, with titles. */
export const GET_ASSERTION_CASES = titled<AuthenticationCase>('Get', 'sign-in', [
  ...AUTHENTICATION_STRUCTURE,
  ...AUTHENTICATION_CLIENT_DATA,
  ...AUTHENTICATOR_DATA,
]);
