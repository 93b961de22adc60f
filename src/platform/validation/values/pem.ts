import { X509Certificate } from 'node:crypto';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/**
 * The certificates of a PEM text (RFC 7468), DER; text around them is skipped.
 *
 * @throws if one of them is not a certificate
 */
export function certificatesOfPem(text: string): Buffer[] {
  return (text.match(CERTIFICATE) ?? []).map((pem) => new X509Certificate(pem).raw);
}

/** Whether the text contains at least one certificate, and none that cannot be read. */
export function isCertificatePem(text: unknown): text is string {
  if (typeof text !== 'string') return false;
  try {
    return certificatesOfPem(text).length > 0;
  } catch {
    return false;
  }
}
