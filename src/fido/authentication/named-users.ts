import { createHash, createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { CredentialReader, type UserToSignIn } from '../../users/credentials/credential-reader.js';
import { GroupsInForce } from '../../users/moves/groups-in-force.js';
import { Moves, type MovingUser } from '../../users/moves/moves.js';
import { SecretStore } from '../../platform/database/secrets/secret-store.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { normalizeName } from '../../platform/validation/values/names.js';
import type { KeyDomain, RelyingParty } from '../../tenancy/relying-party.js';
import { SUSPENDED_USER } from '../refusals/failure-codes.js';
import { shapesAt } from '../../tenancy/key-survey/key-shapes.js';
import { nameKey } from '../../tenancy/usernames/name-key.js';

const ROW_ID_BYTES = 16;
const DRAW_BYTES = 6;

/** The user who signs in, and how the ceremony marks a user of the predecessor or a made-up one. */
interface SignInUser extends Pick<MovingUser, 'user'> {
  readonly keyDomain: KeyDomain;
  readonly mark?: { readonly former: true; readonly movesTo: string } | { readonly madeUp: true };
}

/** Finds the user that a begin call names, with the keys that may sign in. */
@Injectable()
export class NamedUsers implements OnModuleInit {
  /** The secret of made-up users. */
  private secret: KeyObject | undefined;

  constructor(
    private readonly reader: CredentialReader,
    private readonly moves: Moves,
    private readonly groups: GroupsInForce,
    private readonly secrets: SecretStore,
  ) {}

  async onModuleInit(): Promise<void> {
    const secret = await this.secrets.findOrCreate('made-up users');
    this.secret = createSecretKey(secret, 'base64url');
  }

  /**
   * The user with the keys that may sign in: a user of this relying party, else a made-up one if the policy says
   * `pretend`, else a user of the predecessor.
   *
   * @throws ApiError 403 if there is none
   */
  async find(rp: RelyingParty, username: string): Promise<SignInUser> {
    // Made up for every name, so that known and unknown names take the same time.
    const madeUp = rp.policy.unknownUsers === 'pretend' ? this.makeUp(rp, username) : undefined;
    const user = await this.reader.findUserToSignIn(rp, username);
    if (user) {
      const groups = await this.groups.of(rp, user);
      return { keyDomain: rp, user: groups === user.groups ? user : { ...user, groups } };
    }
    if (madeUp) return { keyDomain: rp, user: madeUp, mark: { madeUp: true } };
    const moving = await this.moves.toSignIn(rp, username);
    if (moving) {
      const { userId, ...found } = moving;
      return { ...found, mark: { former: true, movesTo: userId.toString('base64url') } };
    }
    throw ApiError.noAccount(await this.whyNot(rp, username));
  }

  /** Why a name cannot sign in. Callers get the same answer for both; only the help desk sees the reason. */
  async whyNot(rp: KeyDomain, username: string) {
    const user = await this.reader.findUser(rp, username);
    if (!user) return 'unknown-user';
    return user.isSuspended ? SUSPENDED_USER : 'no-enabled-key';
  }

  /**
   * A user with keys for a name that cannot sign in, if the policy says `pretend` (W3C WebAuthn L3 §14.6.2). A name
   * always gives the same user, on every instance: it is derived from the name, the relying party and a secret.
   */
  private makeUp(rp: RelyingParty, username: string): UserToSignIn {
    const seed = this.seedOf(rp, username);
    const shapes = shapesAt(rp.keyShapes, seed.readUIntBE(0, DRAW_BYTES) / 2 ** (8 * DRAW_BYTES));
    const sizes = shapes.flatMap(({ idBytes }) => [ROW_ID_BYTES, idBytes]);
    const take = bytesOf(seed, [ROW_ID_BYTES, ...sizes]);
    return {
      id: take(ROW_ID_BYTES),
      username: normalizeName(username),
      displayName: username,
      subject: undefined,
      groups: [],
      credentials: shapes.map(({ idBytes, transports }) => ({
        id: take(ROW_ID_BYTES),
        credentialId: take(idBytes),
        transports,
        uvInitialized: true,
        signCount: 0,
        lastUsedAt: null,
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
