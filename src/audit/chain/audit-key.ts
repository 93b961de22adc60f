import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * A secret outside the database. It seals the record of the chain's last row, whose hash covers all rows
 * before it: an attacker who can only write to the database cannot substitute another chain.
 */
export class AuditKey {
  /** Identifies the key without revealing the secret. */
  readonly fingerprint: string;

  constructor(private readonly secret: Buffer) {
    this.fingerprint = this.mac('fingerprint').slice(0, 16);
  }

  /** HMAC-SHA256 (RFC 2104), in hexadecimal. */
  seal(text: string): string {
    return this.mac(`seal ${text}`);
  }

  hasSealed(text: string, seal: string): boolean {
    const given = Buffer.from(seal);
    const right = Buffer.from(this.seal(text));
    return given.length === right.length && timingSafeEqual(given, right);
  }

  private mac(text: string): string {
    return createHmac('sha256', this.secret).update(text).digest('hex');
  }
}
