import { createHash, createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { UserToSignIn } from '../../users/credentials/credential-reader.js';
import { SecretStore } from '../../platform/database/secrets/secret-store.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { nameKey } from '../../tenancy/usernames/name-key.js';
import { shapesAt } from '../../tenancy/unknown-users/key-shapes.js';
import { normalizeName } from '../../platform/validation/values/names.js';

const ROW_ID_BYTES = 16;
const DRAW_BYTES = 6;

/**
 * Users for names that cannot sign in, if the policy says `pretend` (W3C WebAuthn L3 §14.6.2). A name always gives
 * the same user, on every instance: it is derived from the name, the relying party and a secret.
 */
@Injectable()
export class MadeUpUsers implements OnModuleInit {
  private secret: KeyObject | undefined;

  constructor(private readonly secrets: SecretStore) {}

  async onModuleInit(): Promise<void> {
    const secret = await this.secrets.findOrCreate('made-up users');
    this.secret = createSecretKey(secret, 'base64url');
  }

  /** Makes up a user of this name with keys. */
  make(rp: RelyingParty, username: string): UserToSignIn {
    const seed = this.seedOf(rp, username);
    const shapes = shapesAt(rp.keyShapes, seed.readUIntBE(0, DRAW_BYTES) / 2 ** (8 * DRAW_BYTES));
    const sizes = shapes.flatMap(({ idBytes }) => [ROW_ID_BYTES, idBytes]);
    const take = bytesOf(seed, [ROW_ID_BYTES, ...sizes]);
    return {
      id: take(ROW_ID_BYTES),
      username: normalizeName(username),
      displayName: username,
      externalId: undefined,
      credentials: shapes.map(({ idBytes, transports }) => ({
        id: take(ROW_ID_BYTES),
        credentialId: take(idBytes),
        transports,
        uvInitialized: true,
      })),
    };
  }

  /** The seed of a name. Spellings that would find the same user have the same seed. */
  private seedOf(rp: RelyingParty, username: string): Buffer {
    if (!this.secret) throw new Error('The secret of made-up users is not loaded.');
    return createHmac('sha256', this.secret).update(rp.id).update(nameKey(rp, username)).digest();
  }
}

/** Derives as many bytes from a seed as the sizes add up to; each call returns the next part of them. */
function bytesOf(seed: Buffer, sizes: readonly number[]): (size: number) => Buffer {
  const outputLength = sizes.reduce((sum, size) => sum + size, 0);
  const stream = createHash('shake256', { outputLength }).update(seed).digest();
  let at = 0;
  return (size) => stream.subarray(at, (at += size));
}
