import {
  aaguidExtension,
  alternativeName,
  basicConstraints,
  type CertificateParts,
  type Extension,
  extendedKeyUsage,
  name,
  OID,
} from '../../../../test/support/authenticator/certificate-writer.js';
import { element, sequence } from '../../../../test/support/authenticator/der-writer.js';
import { failureOf } from '../../../../test/support/authenticator/failure-of.js';
import { ALG, createKeyPair } from '../../../../test/support/authenticator/key-pair.js';
import {
  TCG,
  TPM_ATTRIBUTES,
  TPM_EXTENSIONS,
  tpmCertificate,
} from '../../../../test/support/authenticator/tpm-certificate.js';
import { loadCertificate } from '../../certificates/certificate.js';
import { checkTpmCertificate } from './tpm-certificate.js';

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

describe('§8.3.1 TPM attestation certificates', () => {
  it.each<[string, Partial<CertificateParts>]>([
    ['three name parts of one attribute', {}],
    ['one name part of three attributes', having(alternativeName([TPM_ATTRIBUTES]))],
    ['a vendor of no list (T40)', except(TCG.manufacturer, 'id:5A5A5A5A')],
    ['the manufacturer of the test vectors of WebAuthn', except(TCG.manufacturer, 'id:00000000')],
    ['further key purposes', having(extendedKeyUsage('1.3.6.1.5.5.7.3.1', TCG.aikCertificate))],
    ['its own AAGUID', having(aaguidExtension(AAGUID))],
    [
      'critical certificate policies, as Windows has them',
      having({ id: '2.5.29.32', critical: true, value: sequence() }),
    ],
  ])('accepts %s', (_title, parts) => {
    expect(refusal(parts)).toBeUndefined();
  });

  it.each<[string, Partial<CertificateParts>]>([
    ['version 2 (T25)', { version: 2 }],
    ['a subject (T26)', { subject: name([[OID.commonName, 'TPM']]) }],
    ['no alternative name (T27)', without(OID.subjectAltName)],
    ['an alternative name of nothing (T27)', having(altName(sequence()))],
    ['an empty directory name (T27)', attributes()],
    ['an alternative name that is none (T27)', having(altName(Buffer.of(5, 0)))],
    [
      'an alternative name of a host (T27)',
      having(altName(sequence(element(0x82, Buffer.from('tpm.example'))))),
    ],
    ['no manufacturer (T28)', except(TCG.manufacturer)],
    ['no model (T28)', except(TCG.model)],
    ['no version (T28)', except(TCG.version)],
    ['an empty model (T28)', except(TCG.model, '')],
    ['a manufacturer in small letters (T29)', except(TCG.manufacturer, 'id:fffff1d0')],
    ['a manufacturer of seven digits (T29)', except(TCG.manufacturer, 'id:FFFFF1D')],
    ['a manufacturer of nine digits (T29)', except(TCG.manufacturer, 'id:FFFFF1D00')],
    ['a manufacturer with something before it (T29)', except(TCG.manufacturer, 'xid:FFFFF1D0')],
    ['a manufacturer by name (T29)', except(TCG.manufacturer, 'Infineon')],
    ['two manufacturers', except(TCG.manufacturer, 'id:FFFFF1D0', 'id:49465800')],
    ['no extended key usage (T30)', without(OID.extendedKeyUsage)],
    ['an empty extended key usage (T30)', having(extendedKeyUsage())],
    ['a server only (T30)', having(extendedKeyUsage('1.3.6.1.5.5.7.3.1'))],
    ['CA (T31)', having(basicConstraints(true))],
    ['no basic constraints (T31)', without(OID.basicConstraints)],
    ['another AAGUID (T32)', having(aaguidExtension(Buffer.alloc(16, 1)))],
    ['an unknown critical extension', having({ id: '1.2.3.4', critical: true, value: sequence() })],
  ])('%s is refused', (_title, parts) => {
    expect(refusal(parts)).toBe('attestation-certificate');
  });
});
