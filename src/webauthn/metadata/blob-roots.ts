import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';

/**
 * SHA-256 fingerprint of "GlobalSign Root CA - R3", the root of the certificates of FIDO's metadata service.
 */
const FINGERPRINT =
  'CB:B5:22:D7:B7:F1:27:AD:6A:01:13:86:5B:DF:1C:D4:10:2E:7D:07:59:AF:63:5A:7C:F4:72:0D:C9:63:C5:3B';

let roots: readonly Buffer[] | undefined;

/** Roots of FIDO's own metadata service, DER, picked from the roots that Node.js ships. */
export function publicBlobRoots(): readonly Buffer[] {
  roots ??= rootCertificates
    .map((pem) => new X509Certificate(pem))
    .filter(({ fingerprint256 }) => fingerprint256 === FINGERPRINT)
    .map(({ raw }) => raw);
  return roots;
}
