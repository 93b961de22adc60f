import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SecretStore } from '../../platform/database/secrets/secret-store.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { decodeBase64Url } from '../../webauthn/base64url.js';

const KEY_BYTES = 16;
const BLOCK_BYTES = 16;

/**
 * Turns numbers of events into cursors and back. All tenants share the numbers, which would tell each how
 * much the others do: so a cursor is one block of AES, under a key that all instances share.
 */
@Injectable()
export class ForwardCursors {
  private key: Promise<Buffer> | undefined;

  constructor(private readonly secrets: SecretStore) {}

  async cursorOf(number: number): Promise<string> {
    const block = Buffer.alloc(BLOCK_BYTES);
    block.writeBigUInt64BE(BigInt(number), BLOCK_BYTES - 8);
    const cipher = createCipheriv('aes-128-ecb', await this.sharedKey(), null);
    return cipher.setAutoPadding(false).update(block).toString('base64url');
  }

  /** @throws ApiError E0045R for a text that is neither 0 nor the `next` of an answer */
  async numberOf(cursor: string): Promise<number> {
    if (cursor === '0') return 0;
    const bytes = decodeBase64Url(cursor);
    if (bytes?.length === BLOCK_BYTES) {
      const decipher = createDecipheriv('aes-128-ecb', await this.sharedKey(), null);
      const block = decipher.setAutoPadding(false).update(bytes);
      if (block.readBigUInt64BE(0) === 0n) return Number(block.readBigUInt64BE(8));
    }
    throw new ApiError('E0045R', 'cursor.after');
  }

  private sharedKey(): Promise<Buffer> {
    this.key ??= this.secrets
      .findOrCreate('event-cursor', () => randomBytes(KEY_BYTES).toString('base64url'))
      .then((text) => Buffer.from(text, 'base64url'))
      .catch((error: unknown) => {
        this.key = undefined;
        throw error;
      });
    return this.key;
  }
}
