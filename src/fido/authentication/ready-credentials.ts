import { Inject, Injectable } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { LRUCache } from 'lru-cache';
import { serverOptions } from '../../config/server-config.js';
import { CredentialReader } from '../../credentials/credential-reader.js';
import type { CredentialFacts, StoredCredential } from '../../credentials/credential-reader.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { importCoseKey } from '../../webauthn/cose-key.js';
import type { VerificationKey } from '../../webauthn/cose-key.js';
import { AUTHENTICATION_CODES, judged } from '../failure-codes.js';

/** Some 2 KiB each, most of it the key. */
const MOST = 20_000;

/** A credential with its key ready: importing a key costs as much as verifying with it. */
export interface ReadyCredential extends CredentialFacts {
  readonly key: VerificationKey;
}

/**
 * The credentials that signed in lately. What their type shows never changes; whether one still exists,
 * is enabled, and how far it has counted, only the database can say.
 */
@Injectable()
export class ReadyCredentials {
  private readonly recent = new LRUCache<string, ReadyCredential>({ max: MOST });

  constructor(
    private readonly reader: CredentialReader,
    @Inject(serverOptions.KEY) private readonly options: ConfigType<typeof serverOptions>,
  ) {}

  /** @param id credential ID, Base64URL */
  recall(rp: RelyingParty, id: string): ReadyCredential | undefined {
    return this.recent.get(nameOf(rp, id));
  }

  /**
   * The credential as it is stored now; recalled from then on.
   *
   * @param id credential ID, Base64URL
   * @throws ApiError E0039R where the stored key is none
   */
  async read(
    rp: RelyingParty,
    id: string,
  ): Promise<(StoredCredential & ReadyCredential) | undefined> {
    const stored = await this.reader.findCredential(rp, Buffer.from(id, 'base64url'));
    if (!stored) return undefined;
    const key = judged(AUTHENTICATION_CODES, () =>
      importCoseKey(stored.publicKey, { rs1: this.options.conformance }),
    );
    const ready = { ...stored, key };
    this.recent.set(nameOf(rp, id), ready);
    return ready;
  }
}

const nameOf = (rp: RelyingParty, id: string) => rp.id.toString('latin1') + id;
