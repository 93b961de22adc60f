import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  randomBytes,
} from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { OptionMistakes } from '../config/load-options.js';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const ID_BYTES = 8;
/** NIST SP 800-38D §8.2.2: random, of 96 bits. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Key ID and Base64URL of nonce, what is sealed, and tag. */
const FORM = /^sealed:1:([\w-]{11}):([\w-]+)$/;

interface SealingKey {
  /** Names the key, and tells nothing of it. */
  readonly id: string;
  readonly key: KeyObject;
}

/** The ID of the key that has sealed it; `undefined` where none has. */
export const sealedWith = (stored: string): string | undefined => FORM.exec(stored)?.[1];

/** Whether a key has sealed it, whichever. */
export const isSealed = (stored: string): boolean => FORM.test(stored);

/**
 * Seals secrets that stand in the database under a key that does not, so that a copy of the database
 * forges nothing (AES-256-GCM, NIST SP 800-38D). Without a key it leaves texts as they are.
 *
 * Each secret is sealed for its place, such as `signing-key KID`: in another row, or taken for another
 * purpose, it does not open. Whoever owns the rows seals anew at start what `renewed` says, so that a
 * key may go that has been replaced.
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

  /** Names the key that seals; `undefined` where none does. */
  get keyId(): string | undefined {
    return this.current?.id;
  }

  /** @returns what to store: ASCII, four thirds of the secret's UTF-8 and some 60 characters more */
  seal(secret: string, place: string): string {
    if (!this.current) return secret;
    const { id, key } = this.current;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(place));
    const sealed = [nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()];
    return `sealed:1:${id}:${Buffer.concat(sealed).toString('base64url')}`;
  }

  /**
   * The secret. One that was stored before there was a key stands as it is.
   *
   * @throws OptionMistakes where the file of keys lacks the one that sealed it
   * @throws Error where it was altered, or belongs to another place
   */
  open(stored: string, place: string): string {
    const [, id, sealed] = FORM.exec(stored) ?? [];
    if (id === undefined || sealed === undefined) return stored;
    const key = this.keys.get(id);
    if (!key) throw new OptionMistakes([this.missing(id, place)]);
    try {
      return opened(key, Buffer.from(sealed, 'base64url'), place);
    } catch (cause) {
      throw new Error(`the secret "${place}" in the database was altered`, { cause });
    }
  }

  /**
   * What to store in the place of what is, so that the current key seals it.
   *
   * @returns `undefined` where it does already
   * @throws as `open`
   */
  renewed(stored: string, place: string): string | undefined {
    if (sealedWith(stored) === this.keyId) return undefined;
    return this.seal(this.open(stored, place), place);
  }

  private missing(id: string, place: string): string {
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

function opened(key: KeyObject, sealed: Buffer, place: string): string {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(place)).setAuthTag(sealed.subarray(-TAG_BYTES));
  const text = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8');
  return text + decipher.final('utf8');
}
