import type { Certificate } from './certificate.js';
import { type RevocationList, isSignedBy, nameText } from './revocation-list.js';

/** Looks up certificates in the revocation lists of their authorities (RFC 5280 §5). */
export class RevocationLists {
  private readonly byIssuer: ReadonlyMap<string, readonly RevocationList[]>;
  /** Whether an authority signed a list. Signatures are verified once, and only when a certificate is on the list. */
  private readonly signed = new WeakMap<RevocationList, WeakMap<Certificate, boolean>>();

  /** @param all lists with unverified signatures; a list that its authority did not sign revokes nothing */
  constructor(readonly all: readonly RevocationList[] = []) {
    this.byIssuer = Map.groupBy(all, ({ issuer }) => nameText(issuer));
  }

  /** Number of listed certificates. */
  get revokedCount(): number {
    return this.all.reduce((sum, { serialNumbers }) => sum + serialNumbers.size, 0);
  }

  /**
   * Whether its issuer has revoked a certificate (RFC 5280 §6.3), for whatever reason and however long ago: its
   * attestations are unreliable. A list whose successor is overdue still counts.
   *
   * @param issuer the issuing certificate; the caller has checked that it issued the certificate
   */
  revokes({ serialNumber }: Certificate, issuer: Certificate): boolean {
    if (this.all.length === 0) return false;
    const lists = this.byIssuer.get(nameText(issuer.subject)) ?? [];
    return lists.some(
      (list) => list.serialNumbers.has(serialNumber) && this.isSigned(list, issuer),
    );
  }

  private isSigned(list: RevocationList, issuer: Certificate): boolean {
    const known = this.signed.get(list) ?? new WeakMap<Certificate, boolean>();
    this.signed.set(list, known);
    const signed = known.get(issuer) ?? isSignedBy(list, issuer);
    known.set(issuer, signed);
    return signed;
  }
}
