import {
  aaguidExtension,
  alternativeName,
  basicConstraints,
  type CertificateParts,
  type Extension,
  extendedKeyUsage,
  name,
  OID,
} from '../../../../packages/testing/src/certificate-writer.js';
import { element, sequence } from '../../../../packages/testing/src/der-writer.js';
import { failureOf } from '../../../../test/support/authenticator/failure-of.js';
import { ALG, createKeyPair } from '../../../../packages/testing/src/key-pair.js';
import {
  TCG,
  TPM_ATTRIBUTES,
  TPM_EXTENSIONS,
  tpmCertificate,
} from '../../../../packages/testing/src/tpm-certificate.js';
import { loadCertificate } from '../../certificates/certificate.js';
import { checkTpmCertificate } from './tpm.js';

const AAGUID = Buffer.alloc(16, 0xa1);
const AIK = createKeyPair(ALG.ES256);

/** The failure of a certificate that is valid except for these parts. */
function refusal(parts: Partial<CertificateParts> = {}): string | undefined {
  const certificate = loadCertificate(tpmCertificate(AIK, parts));
  return failureOf(() => checkTpmCertificate(certificate, AAGUID));
}

/** The valid extensions, with this one replacing the one of the same kind. */
const having = (extension: Extension) => ({
  extensions: [...without(extension.id).extensions, extension],
});
const without = (id: string) => ({
  extensions: TPM_EXTENSIONS.filter((extension) => extension.id !== id),
});
const attributes = (...changed: readonly (readonly [string, string])[]) =>
  having(alternativeName(name(changed)));
const except = (type: string, ...values: readonly string[]) =>
  attributes(
    ...TPM_ATTRIBUTES.filter((attribute) => attribute[0] !== type),
    ...values.map((value) => [type, value] as const),
  );
const altName = (value: Buffer): Extension => ({ id: OID.subjectAltName, critical: true, value });

describe('the certificate of TPM attestation (WebAuthn L3 §8.3.1)', () => {
  it.each<[string, Partial<CertificateParts>]>([
    ['three name parts of one attribute each', {}],
    ['one name part of three attributes', having(alternativeName([TPM_ATTRIBUTES]))],
    ['the manufacturer of an unlisted vendor', except(TCG.manufacturer, 'id:5A5A5A5A')],
    ['the manufacturer of the test vectors of WebAuthn', except(TCG.manufacturer, 'id:00000000')],
    ['further key purposes', having(extendedKeyUsage('1.3.6.1.5.5.7.3.1', TCG.aikCertificate))],
    ['its own AAGUID', having(aaguidExtension(AAGUID))],
    [
      'critical certificate policies, as Windows has them',
      having({ id: '2.5.29.32', critical: true, value: sequence() }),
    ],
  ])('accepts a TPM certificate with %s', (_title, parts) => {
    expect(refusal(parts)).toBeUndefined();
  });

  it.each<[string, Partial<CertificateParts>]>([
    ['version 2', { version: 2 }],
    ['a subject', { subject: name([[OID.commonName, 'TPM']]) }],
    ['no alternative name', without(OID.subjectAltName)],
    ['an empty alternative name', having(altName(sequence()))],
    ['an empty directory name', attributes()],
    ['an invalid alternative name', having(altName(Buffer.of(5, 0)))],
    [
      'an alternative name of a host',
      having(altName(sequence(element(0x82, Buffer.from('tpm.example'))))),
    ],
    ['no manufacturer', except(TCG.manufacturer)],
    ['no model', except(TCG.model)],
    ['no version', except(TCG.version)],
    ['an empty model', except(TCG.model, '')],
    ['a manufacturer in small letters', except(TCG.manufacturer, 'id:fffff1d0')],
    ['a manufacturer of seven digits', except(TCG.manufacturer, 'id:FFFFF1D')],
    ['a manufacturer of nine digits', except(TCG.manufacturer, 'id:FFFFF1D00')],
    ['a manufacturer with something before it', except(TCG.manufacturer, 'xid:FFFFF1D0')],
    ['a manufacturer by name', except(TCG.manufacturer, 'Infineon')],
    ['two manufacturers', except(TCG.manufacturer, 'id:FFFFF1D0', 'id:49465800')],
    ['no extended key usage', without(OID.extendedKeyUsage)],
    ['an empty extended key usage', having(extendedKeyUsage())],
    ['only the key usage of a server', having(extendedKeyUsage('1.3.6.1.5.5.7.3.1'))],
    ['basic constraints of a CA', having(basicConstraints(true))],
    ['no basic constraints', without(OID.basicConstraints)],
    ['another AAGUID', having(aaguidExtension(Buffer.alloc(16, 1)))],
    ['an unknown critical extension', having({ id: '1.2.3.4', critical: true, value: sequence() })],
  ])('refuses a TPM certificate with %s', (_title, parts) => {
    expect(refusal(parts)).toBe('attestation-certificate');
  });
});
