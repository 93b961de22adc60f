import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { decodeBase64Url } from '../../../webauthn/base64url.js';
import type { SecretStore } from './secret-store.js';

const KEY_BYTES = 16;
const ALGORITHM = 'aes-128-ecb';
/** The length of what a cursor contains: one AES block. */
export const CURSOR_BYTES = 16;

/** Encrypts cursors, under a key that all instances share, so that programs can only send them back. */
export class CursorCipher {
  private constructor(private readonly key: Buffer) {}

  /**
   * Call it at the start. The key then exists before the first backup: otherwise a database that is restored from it
   * would not know the cursors.
   *
   * @param name of the key among the secrets
   */
  static async open(secrets: SecretStore, name: string): Promise<CursorCipher> {
    const newKey = () => randomBytes(KEY_BYTES).toString('base64url');
    return new CursorCipher(Buffer.from(await secrets.findOrCreate(name, newKey), 'base64url'));
  }

  /** @param block `CURSOR_BYTES` bytes */
  encrypt(block: Buffer): string {
    const cipher = createCipheriv(ALGORITHM, this.key, null);
    return cipher.setAutoPadding(false).update(block).toString('base64url');
  }

  /** @returns `undefined` for a text that is no cursor; random bytes for one that another key has encrypted */
  decrypt(cursor: string): Buffer | undefined {
    const bytes = decodeBase64Url(cursor);
    if (bytes?.length !== CURSOR_BYTES) return undefined;
    return createDecipheriv(ALGORITHM, this.key, null).setAutoPadding(false).update(bytes);
  }
}
