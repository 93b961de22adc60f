import { CONTEXT, CONTEXT_PRIMITIVE, readIfWellFormed, hasType, sequenceOf } from './asn1.js';
import { type Certificate, loadCertificate } from './certificate.js';
import { type DerElement, readDer } from './der.js';

/** The address at which an authority publishes the certificates that it has revoked. */
export interface DistributionPoint {
  readonly address: string;
  /** The certificate of the authority, DER, which verifies the list. */
  readonly issuer: Buffer;
}

const ID_CE_CRL_DISTRIBUTION_POINTS = '2.5.29.31';
/** Tag numbers in a DistributionPoint, in its name and in a GeneralName (RFC 5280 §4.2.1.13, §4.2.1.6). */
const NAME = 0;
const CRL_ISSUER = 2;
const FULL_NAME = 0;
const URI = 6;
const WEB = /^https?:\/\//i;
const MAX_ADDRESS = 1024;
/** More than any certificate contains. */
const MAX_POINTS = 4;

/**
 * The addresses of cRLDistributionPoints (RFC 5280 §4.2.1.13): the first web address of each point, since all
 * addresses of a point lead to the same list. Points of other authorities (indirect lists) are omitted.
 * Returns `undefined` if malformed.
 */
export function readDistributionPoints(value: Buffer): readonly string[] | undefined {
  return readIfWellFormed(() =>
    sequenceOf(readDer(value))
      .slice(0, MAX_POINTS)
      .flatMap((point) => addressOf(point.elements)),
  );
}

/**
 * The distribution points at which each certificate of a chain would be listed if it were revoked. A self-issued
 * root names the list of the certificates that it issued.
 *
 * @param chain DER, each issued by the next; all of them have been loaded once
 */
export function distributionPointsOf(chain: readonly Buffer[]): readonly DistributionPoint[] {
  return chain.flatMap((der, n) => {
    const certificate = loadCertificate(der);
    const issuer = chain[n + 1] ?? ownIssuer(certificate);
    const extension = certificate.extensions.get(ID_CE_CRL_DISTRIBUTION_POINTS);
    if (issuer === undefined || extension === undefined) return [];
    const addresses = readDistributionPoints(extension.value) ?? [];
    return addresses.map((address) => ({ address, issuer }));
  });
}

const ownIssuer = ({ x509, der }: Certificate): Buffer | undefined =>
  x509.checkIssued(x509) ? der : undefined;

function addressOf(point: readonly DerElement[]): readonly string[] {
  if (point.some((member) => hasType(member, [CONTEXT, CRL_ISSUER]))) return [];
  const name = point.find((member) => hasType(member, [CONTEXT, NAME]))?.elements ?? [];
  const full = name.find((member) => hasType(member, [CONTEXT, FULL_NAME]))?.elements ?? [];
  const address = full
    .filter((member) => hasType(member, [CONTEXT_PRIMITIVE, URI]))
    .map(({ content }) => content.toString('latin1'))
    .find((text) => text.length <= MAX_ADDRESS && WEB.test(text) && URL.canParse(text));
  return address === undefined ? [] : [address];
}
