import { createPublicKey, generateKeyPair, hash, type JsonWebKey } from 'node:crypto';
import { promisify } from 'node:util';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { BoundedMap } from '../../platform/common/caching.js';
import { Clock } from '../../platform/common/clock.js';
import { HOUR_MS } from '../../platform/common/durations.js';
import { CacheVersion } from '../../platform/database/cache-version.js';
import type { ScopeOwner } from '../../platform/database/scope.js';
import { mapKey } from '../../platform/database/row-ids.js';
import { SecretStore } from '../../platform/database/secrets/secret-store.js';
import { CLIENT_ALGORITHMS, type ClientAlgorithm } from '../clients/oidc-client.entity.js';

/** A new key is published this long before it signs, so that every client can know it. */
const INTRODUCTION_MS = 5 * 60_000;
/** How long a key is published after another one replaced it: longer than an ID token is valid. */
const RETIREMENT_MS = 3 * HOUR_MS;

/** A private key (RFC 7517), and when it was made. */
interface StoredKey {
  readonly jwk: JsonWebKey & { readonly kid: string; readonly alg: string; readonly use: 'sig' };
  readonly createdAt: number;
}

type KeyLists = readonly (readonly StoredKey[])[];

const MAX_KNOWN = 5_000;

const newKeyPair = promisify(generateKeyPair);

/**
 * The signing keys of each issuer, which no other issuer and no token of the four calls has. They are shared secrets, a
 * list for each algorithm, newest first. The first client that wants an algorithm creates its key.
 */
@Injectable()
export class IssuerKeys implements OnModuleInit {
  /** The keys of issuers, newest first, as they were read last. */
  private readonly known = new BoundedMap<KeyLists>(MAX_KNOWN);

  constructor(
    private readonly secrets: SecretStore,
    private readonly clock: Clock,
    private readonly cacheVersion: CacheVersion,
  ) {}

  onModuleInit(): void {
    this.cacheVersion.follow(async () => this.known.clear());
  }

  /** The private keys of an issuer that did not retire: for each algorithm the one that signs, then the others. */
  async jwks(rp: ScopeOwner): Promise<readonly StoredKey['jwk'][]> {
    const name = mapKey(rp.id);
    const lists =
      this.known.get(name) ??
      (await Promise.all(CLIENT_ALGORITHMS.map((one) => this.read(rp, one))));
    this.known.set(name, lists);
    return lists.flatMap((keys) => this.signingFirst(this.unretired(keys))).map(({ jwk }) => jwk);
  }

  /** Creates the key of an algorithm if the issuer has none. */
  async ensure(rp: ScopeOwner, algorithm: ClientAlgorithm): Promise<void> {
    if ((await this.read(rp, algorithm)).length > 0) return;
    const text = JSON.stringify([await this.newKey(algorithm)]);
    await this.secrets.findOrCreate(nameOf(rp, algorithm), () => text);
    await this.forget();
  }

  /** Adds a key for each algorithm of the issuer, which signs after five minutes; forgets keys that retired. */
  async rotate(rp: ScopeOwner): Promise<void> {
    for (const algorithm of CLIENT_ALGORITHMS) {
      const keys = await this.read(rp, algorithm);
      if (keys.length === 0) continue;
      const renewed = [await this.newKey(algorithm), ...this.unretired(keys)];
      await this.secrets.change(nameOf(rp, algorithm), JSON.stringify(renewed));
    }
    await this.forget();
  }

  /** Lets all instances read the keys again. */
  private async forget(): Promise<void> {
    await this.cacheVersion.commit([]);
    this.known.clear();
  }

  private async read(rp: ScopeOwner, algorithm: ClientAlgorithm): Promise<readonly StoredKey[]> {
    return JSON.parse((await this.secrets.find(nameOf(rp, algorithm))) ?? '[]') as StoredKey[];
  }

  private signingFirst(keys: readonly StoredKey[]): readonly StoredKey[] {
    const introduced = this.clock.now() - INTRODUCTION_MS;
    const signing = keys.find(({ createdAt }) => createdAt <= introduced) ?? keys.at(-1);
    return signing ? [signing, ...keys.filter((key) => key !== signing)] : [];
  }

  /** The keys without those that retired: who stole one of these must not be believed for ever. */
  private unretired(keys: readonly StoredKey[]): readonly StoredKey[] {
    return keys.filter((_, n) => !this.isRetired(keys[n - 1]));
  }

  /** @param next the key that replaced it */
  private isRetired(next: StoredKey | undefined): boolean {
    return (
      next !== undefined && next.createdAt + INTRODUCTION_MS + RETIREMENT_MS < this.clock.now()
    );
  }

  private async newKey(algorithm: ClientAlgorithm): Promise<StoredKey> {
    const { privateKey } =
      algorithm === 'ES256'
        ? await newKeyPair('ec', { namedCurve: 'P-256' })
        : await newKeyPair('rsa', { modulusLength: 2048 });
    const der = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
    const kid = hash('sha256', der, 'base64url');
    const jwk = {
      ...privateKey.export({ format: 'jwk' }),
      kid,
      alg: algorithm,
      use: 'sig' as const,
    };
    return { jwk, createdAt: this.clock.now() };
  }
}

const nameOf = ({ id }: ScopeOwner, algorithm: ClientAlgorithm): string =>
  `oidc-${algorithm} ${id.toString('base64url')}`;
