import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import { fewRandomBytes } from '../../common/random.js';
import { SecretStore } from '../../database/secret-store.js';

/** W3C WebAuthn L3 §13.4.3: at least 16. */
const RANDOM_BYTES = 16;
const MAC_BYTES = 16;
const KEY_BYTES = 32;
/** Base64URL of a challenge of this or an earlier version. */
const FORM = /^[\w-]{43}$/;

/**
 * Challenges: random bytes, and a MAC over them and the session under a key that all instances share.
 * So whether a challenge was issued to a session can be told when it is long used, pushed out or too
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

  /** A new challenge of the session: Base64URL of 32 bytes. */
  issue(session: string): string {
    const random = fewRandomBytes(RANDOM_BYTES);
    return Buffer.concat([random, this.macOf(session, random)]).toString('base64url');
  }

  /** Whether the text can be a challenge, so that it may be looked for. */
  isWellFormed(challenge: string): boolean {
    return FORM.test(challenge);
  }

  /** Whether the challenge was issued to the session, whenever, by any instance. */
  isIssuedTo(session: string, challenge: string): boolean {
    if (!this.isWellFormed(challenge)) return false;
    const bytes = Buffer.from(challenge, 'base64url');
    const [random, mac] = [bytes.subarray(0, RANDOM_BYTES), bytes.subarray(RANDOM_BYTES)];
    return timingSafeEqual(mac, this.macOf(session, random));
  }

  private macOf(session: string, random: Buffer): Buffer {
    if (!this.key) throw new Error('The key of the challenges is not loaded.');
    const mac = createHmac('sha256', this.key).update(session).update(random).digest();
    return mac.subarray(0, MAC_BYTES);
  }
}
