import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import { fewRandomBytes } from '../../platform/common/random.js';
import { SecretStore } from '../../platform/database/secrets/secret-store.js';

/** W3C WebAuthn L3 §13.4.3: at least 16. */
const RANDOM_BYTES = 16;
const MAC_BYTES = 16;
const KEY_BYTES = 32;
const OWN_BYTES = RANDOM_BYTES + MAC_BYTES;
/** Base64URL of 32 bytes, or of 64 where a transaction is agreed to. */
const FORM = /^[\w-]{43}(?:[\w-]{43})?$/;
const NOTHING = Buffer.alloc(0);

/**
 * Challenges: random bytes, and a MAC over them and the session under a key that all instances share. The MAC
 * tells whether a challenge was issued to a session, even after it was used, pushed out or has become too
 * old, and nothing has to be remembered for it.
 */
@Injectable()
export class Challenges implements OnModuleInit {
  private key: KeyObject | undefined;

  constructor(private readonly secrets: SecretStore) {}

  async onModuleInit(): Promise<void> {
    const secret = await this.secrets.findOrCreate('challenges', () =>
      randomBytes(KEY_BYTES).toString('base64url'),
    );
    this.key = createSecretKey(secret, 'base64url');
  }

  /**
   * A new challenge of the session: Base64URL of 32 bytes, or of 64.
   *
   * @param transaction SHA-256 of what the user agrees to: the challenge ends with it
   */
  issue(session: string, transaction: Buffer = NOTHING): string {
    const random = fewRandomBytes(RANDOM_BYTES);
    const mac = this.macOf(session, random, transaction);
    return Buffer.concat([random, mac, transaction]).toString('base64url');
  }

  /** Whether the text can be a challenge, so that it may be looked for. */
  isWellFormed(challenge: string): boolean {
    return FORM.test(challenge);
  }

  /** Whether the challenge was issued to the session, whenever, by any instance. */
  isIssuedTo(session: string, challenge: string): boolean {
    if (!this.isWellFormed(challenge)) return false;
    const bytes = Buffer.from(challenge, 'base64url');
    const [random, mac] = [
      bytes.subarray(0, RANDOM_BYTES),
      bytes.subarray(RANDOM_BYTES, OWN_BYTES),
    ];
    return timingSafeEqual(mac, this.macOf(session, random, bytes.subarray(OWN_BYTES)));
  }

  private macOf(session: string, random: Buffer, transaction: Buffer): Buffer {
    if (!this.key) throw new Error('The key of the challenges is not loaded.');
    const mac = createHmac('sha256', this.key).update(session).update(random).update(transaction);
    return mac.digest().subarray(0, MAC_BYTES);
  }
}
