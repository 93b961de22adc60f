import { sign, type KeyObject } from 'node:crypto';
import {
  OID,
  writeExtensionList,
  writeName,
  type Extension,
  type Issuer,
} from './certificate-writer.js';
import * as der from './der-writer.js';

/** The content of a certificate revocation list (RFC 5280 §5); every member can be wrong on purpose. */
export interface ListParts {
  readonly issuer: Issuer;
  /** Serial numbers of the certificates that are revoked. */
  readonly revoked?: readonly Revoked[];
  readonly thisUpdate?: Date;
  /** `null` leaves it out. */
  readonly nextUpdate?: Date | null;
  readonly extensions?: readonly Extension[];
  /** Who signs in place of the issuer. */
  readonly signer?: KeyObject;
  /** The signature algorithm that the signed part names. */
  readonly algorithm?: string;
}

export interface Revoked {
  /** The bytes of the serial number. */
  readonly serial: Buffer;
  readonly extensions?: readonly Extension[];
}

const THIS_UPDATE = new Date('2026-01-01T00:00:00Z');
const NEXT_UPDATE = new Date('2059-01-01T00:00:00Z');

/** Writes and signs a certificate revocation list, DER. */
export function writeRevocationList(parts: ListParts): Buffer {
  const { issuer, revoked = [], nextUpdate = NEXT_UPDATE, extensions = [] } = parts;
  const algorithm = der.sequence(der.oid(OID.ecdsaWithSha256));
  const tbs = der.sequence(
    der.integer(1),
    der.sequence(der.oid(parts.algorithm ?? OID.ecdsaWithSha256)),
    writeName(issuer.name),
    der.time(parts.thisUpdate ?? THIS_UPDATE),
    ...(nextUpdate ? [der.time(nextUpdate)] : []),
    ...(revoked.length > 0 ? [der.sequence(...revoked.map(writeEntry))] : []),
    ...(extensions.length > 0 ? [der.explicit(0, writeExtensionList(extensions))] : []),
  );
  const signature = sign('sha256', tbs, parts.signer ?? issuer.keyPair.privateKey);
  return der.sequence(tbs, algorithm, der.bitString(signature));
}

const writeEntry = ({ serial, extensions = [] }: Revoked): Buffer =>
  der.sequence(
    der.element(0x02, serial),
    der.time(THIS_UPDATE),
    ...(extensions.length > 0 ? [writeExtensionList(extensions)] : []),
  );

/** cRLDistributionPoints with one point, whose list lies at each of these addresses. */
export function distributionPoints(...addresses: readonly string[]): Extension {
  const name = der.element(0xa0, ...addresses.map((address) => der.text(6, address)));
  return { id: '2.5.29.31', value: der.sequence(der.sequence(der.explicit(0, name))) };
}
