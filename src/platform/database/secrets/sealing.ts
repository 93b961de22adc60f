import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto';
import { OptionMistakes } from '../../config/option-types.js';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const ID_BYTES = 8;
/** A random nonce of 96 bits (NIST SP 800-38D §8.2.2). */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Key ID, then Base64URL of nonce, ciphertext and tag. */
const FORM = /^sealed:1:([\w-]{11}):([\w-]+)$/;

interface SealingKey {
  /** Identifies the key without revealing anything about it. */
  readonly id: string;
  readonly key: KeyObject;
}

/** The ID of the key that sealed a stored text; `undefined` if it is not sealed. */
export const sealedWith = (stored: string): string | undefined => FORM.exec(stored)?.[1];

export const isSealed = (stored: string): boolean => FORM.test(stored);

/**
 * Seals secrets with a key that is not in the database (AES-256-GCM, NIST SP 800-38D). Without a key, texts stay
 * unsealed. Each secret is bound to its place, for example `signing-key KID`, and cannot be opened elsewhere. At the
 * start, the owner of the rows stores the results of `renewed`, so that a replaced key can be removed afterwards.
 */
export class Sealing {
  private readonly current: SealingKey | undefined;
  private readonly keys: ReadonlyMap<string, KeyObject>;

  /** @param secrets 32 bytes each; the first one seals, the others only open */
  constructor(secrets: readonly Buffer[]) {
    const keys = secrets.map(sealingKey);
    this.current = keys[0];
    this.keys = new Map(keys.map(({ id, key }) => [id, key]));
  }

  /** ID of the key that seals; `undefined` if there is none. */
  get keyId(): string | undefined {
    return this.current?.id;
  }

  /** @returns the text to store: ASCII, four thirds of the secret's UTF-8 and some 60 characters more */
  seal(secret: string, place: string): string {
    if (!this.current) return secret;
    const { id, key } = this.current;
    return `sealed:1:${id}:${sealed(key, Buffer.from(secret), place).toString('base64url')}`;
  }

  /**
   * Opens a stored secret. A text that was stored before there was a key is returned unchanged.
   *
   * @throws OptionMistakes if the file of keys lacks the key that sealed it
   * @throws Error if it was altered, or belongs to another place
   */
  open(stored: string, place: string): string {
    const [, id, secret] = FORM.exec(stored) ?? [];
    if (id === undefined || secret === undefined) return stored;
    const key = this.keys.get(id);
    if (!key) throw new OptionMistakes([this.lacking(id, place)]);
    try {
      return opened(key, Buffer.from(secret, 'base64url'), place).toString();
    } catch (cause) {
      throw new Error(`the secret "${place}" in the database was altered`, { cause });
    }
  }

  /**
   * Seals a stored text with the current key.
   *
   * @returns the text to store; `undefined` if the current key sealed it already
   * @throws as `open`
   */
  renewed(stored: string, place: string): string | undefined {
    if (sealedWith(stored) === this.keyId) return undefined;
    return this.seal(this.open(stored, place), place);
  }

  /** Reports that the file of keys lacks the key of a text; `undefined` if the text can be opened. */
  missingKey(stored: string, place: string): string | undefined {
    const id = sealedWith(stored);
    return id === undefined || this.keys.has(id) ? undefined : this.lacking(id, place);
  }

  private lacking(id: string, place: string): string {
    const fault = this.current ? 'the file lacks the key' : 'is needed: it has the key';
    return `--secret-key-file: ${fault} ${id}, which sealed "${place}" in the database`;
  }
}

function sealingKey(secret: Buffer): SealingKey {
  const derive = (use: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', secret, '', `servicefido ${use}`, bytes));
  return {
    id: derive('key id', ID_BYTES).toString('base64url'),
    key: createSecretKey(derive('sealing', KEY_BYTES)),
  };
}

/** Seals bytes with a secret of 32 bytes, which `openBytes` needs again. */
export const sealBytes = (secret: Buffer, bytes: Buffer, place: string): Buffer =>
  sealed(sealingKey(secret).key, bytes, place);

/** @throws Error if they were altered, or belong to another secret or place */
export const openBytes = (secret: Buffer, bytes: Buffer, place: string): Buffer =>
  opened(sealingKey(secret).key, bytes, place);

function sealed(key: KeyObject, bytes: Buffer, place: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(place));
  return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

function opened(key: KeyObject, bytes: Buffer, place: string): Buffer {
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(-TAG_BYTES));
  const opening = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
  return Buffer.concat([opening, decipher.final()]);
}
