import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { mapKey } from '../../platform/database/row-ids.js';
import {
  CredentialReader,
  credentialHashOf,
  type CredentialFacts,
  type StoredCredential,
} from '../../users/credentials/credential-reader.js';
import type { KeyDomain } from '../../tenancy/relying-party.js';
import { importCoseKey, type VerificationKey } from '../../webauthn/keys/cose-key.js';
import { AUTHENTICATION_CODES, rethrowWithCodes } from '../refusals/failure-codes.js';

/** W3C WebAuthn L3 §4 "User Handle". */
const MAX_HANDLE_BYTES = 64;
const MAX_BYTES = 40 * 1024 * 1024;
/** Bytes of a credential with an EC key, most of them for OpenSSL's key object. */
const USUAL_BYTES = 2048;

/** A credential with its public key imported: importing a key costs as much as verifying with it. */
export interface ReadyCredential extends CredentialFacts {
  readonly key: VerificationKey;
}

/**
 * Cache of the credentials that signed in lately. Their cached members never change, except for the user's names.
 * Whether a credential still exists or is enabled, and its counter, are only read from the database.
 */
@Injectable()
export class ReadyCredentials {
  private readonly recent = new LRUCache<string, ReadyCredential>({
    maxSize: MAX_BYTES,
    sizeCalculation: bytesOf,
  });

  constructor(
    private readonly reader: CredentialReader,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
  ) {}

  /** @param id credential ID, Base64URL */
  recall(rp: KeyDomain, id: string): ReadyCredential | undefined {
    return this.recent.get(nameOf(rp, id));
  }

  /** @param id credential ID, Base64URL */
  forget(rp: KeyDomain, id: string): void {
    this.recent.delete(nameOf(rp, id));
  }

  /**
   * Reads the credential from the database and caches it.
   *
   * @param id credential ID, Base64URL
   * @param userHandle the one that the authenticator sent: the credential takes it if it is not the user's own
   *   handle, but one of the user's imported keys
   * @throws ApiError E0039R if the stored public key is not valid
   */
  async read(
    rp: KeyDomain,
    id: string,
    userHandle?: string | null,
  ): Promise<(StoredCredential & ReadyCredential) | undefined> {
    const hash = credentialHashOf(Buffer.from(id, 'base64url'));
    const stored = await this.reader.findByHash(rp, hash);
    if (!stored) return undefined;
    const key = rethrowWithCodes(AUTHENTICATION_CODES, () =>
      importCoseKey(stored.publicKey, { rs1: this.options.conformance }),
    );
    const ready = { ...stored, key, userHandle: await this.handleOf(rp, stored, userHandle) };
    // The next sign-in with an imported credential may still report whether it is backup eligible.
    if (stored.backupEligible !== undefined) this.recent.set(nameOf(rp, id), ready);
    return ready;
  }

  private async handleOf(
    rp: KeyDomain,
    { userId, userHandle: own }: StoredCredential,
    sent: string | null | undefined,
  ): Promise<Buffer> {
    if (!sent) return own;
    const handle = Buffer.from(sent, 'base64url');
    if (own.equals(handle) || handle.length > MAX_HANDLE_BYTES) return own;
    return (await this.reader.hasFurtherHandle(rp, userId, handle)) ? handle : own;
  }
}

const nameOf = (rp: KeyDomain, id: string) => mapKey(rp.id) + id;

/** An RSA key of 8,192 bits takes four times its size: stored, parsed, and prepared for verification. */
const bytesOf = ({ publicKey, username, displayName }: ReadyCredential, name: string): number =>
  USUAL_BYTES + 4 * publicKey.length + 2 * (username.length + displayName.length + name.length);
