import { Inject, Injectable } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { LRUCache } from 'lru-cache';
import { serverOptions } from '../../platform/config/server-config.js';
import {
  CredentialReader,
  type CredentialFacts,
  type StoredCredential,
} from '../../users/credentials/credential-reader.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { importCoseKey, type VerificationKey } from '../../webauthn/keys/cose-key.js';
import { AUTHENTICATION_CODES, withCodes } from '../refusals/failure-codes.js';

/** W3C WebAuthn L3 §4 "User Handle". */
const MAX_HANDLE_BYTES = 64;
const MAX_BYTES = 40 * 1024 * 1024;
/** Bytes that a credential with an EC key takes, most of them for the key as OpenSSL has it. */
const USUAL_BYTES = 2048;

/** A credential with its key ready: importing a key costs as much as verifying with it. */
export interface ReadyCredential extends CredentialFacts {
  readonly key: VerificationKey;
}

/**
 * The credentials that signed in lately. The members of their type never change, except for the user's names;
 * only the database knows whether a credential still exists, is enabled, and how far it has counted.
 */
@Injectable()
export class ReadyCredentials {
  private readonly recent = new LRUCache<string, ReadyCredential>({
    maxSize: MAX_BYTES,
    sizeCalculation: bytesOf,
  });

  constructor(
    private readonly reader: CredentialReader,
    @Inject(serverOptions.KEY) private readonly options: ConfigType<typeof serverOptions>,
  ) {}

  /** @param id credential ID, Base64URL */
  recall(rp: RelyingParty, id: string): ReadyCredential | undefined {
    return this.recent.get(nameOf(rp, id));
  }

  /** @param id credential ID, Base64URL */
  forget(rp: RelyingParty, id: string): void {
    this.recent.delete(nameOf(rp, id));
  }

  /**
   * The credential as it is stored now; it is recalled from then on.
   *
   * @param id credential ID, Base64URL
   * @param userHandle the one that the authenticator sent: it becomes this credential's where it is not the
   *   user's own, but one that the user's imported keys carry
   * @throws ApiError E0039R where the stored public key is not valid
   */
  async read(
    rp: RelyingParty,
    id: string,
    userHandle?: string | null,
  ): Promise<(StoredCredential & ReadyCredential) | undefined> {
    const stored = await this.reader.findCredential(rp, Buffer.from(id, 'base64url'));
    if (!stored) return undefined;
    const key = withCodes(AUTHENTICATION_CODES, () =>
      importCoseKey(stored.publicKey, { rs1: this.options.conformance }),
    );
    const { userHandle: own, ...others } = stored;
    const owner = { userId: stored.userId, own };
    const ready = { key, userHandle: await this.handleOf(rp, owner, userHandle), ...others };
    // The next sign-in of an imported credential may still report whether it is backup eligible.
    if (stored.backupEligible !== undefined) this.recent.set(nameOf(rp, id), ready);
    return ready;
  }

  private async handleOf(
    rp: RelyingParty,
    { userId, own }: { readonly userId: Buffer; readonly own: Buffer },
    told: string | null | undefined,
  ): Promise<Buffer> {
    if (!told) return own;
    const handle = Buffer.from(told, 'base64url');
    if (own.equals(handle) || handle.length > MAX_HANDLE_BYTES) return own;
    return (await this.reader.hasFurtherHandle(rp, userId, handle)) ? handle : own;
  }
}

const nameOf = (rp: RelyingParty, id: string) => rp.id.toString('latin1') + id;

/** An RSA key of 8,192 bits takes four times its bytes: as stored, parsed, and prepared to verify. */
const bytesOf = ({ publicKey, username, displayName }: ReadyCredential, name: string): number =>
  USUAL_BYTES + 4 * publicKey.length + 2 * (username.length + displayName.length + name.length);
