import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import type { ChangingCall } from '../../audit/audited.js';
import { Clock } from '../../platform/common/clock.js';
import { OverlappingReads } from '../../platform/common/caching.js';
import { AgreedSettings } from '../../platform/database/agreed-settings.js';
import { insertStep, updateStep } from '../../platform/database/commit/step-of.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { OVERTAKEN, untilStored } from '../../platform/database/commit/until-stored.js';
import { CacheVersion, RAISE_CACHE_VERSION } from '../../platform/database/cache-version.js';
import { Sealing } from '../../platform/database/secrets/sealing.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { HOUR_MS } from '../../platform/common/durations.js';
import type { JwksAnswer, TokenKey } from './jwks.answer.js';
import { SigningKeyEntity } from './signing-key.entity.js';
import { DELETE_KEY_BESIDE_OTHERS } from './signing-key.statements.js';

/** A new key is published this long before it signs, so that every instance and client knows it. */
const INTRODUCTION_MS = 60_000;
/** A rotated key stays valid this much longer than its tokens, since the clocks of instances may differ. */
const CLOCKS_DIFFER_MS = 2 * HOUR_MS;

export type SigningKey = ReturnType<typeof signingKey>;

/** The ES256 keys of the tokens, created at the first start, stored in the database and shared by all instances. */
@Injectable()
export class SigningKeys implements OnModuleInit {
  /** Newest first; tokens of keys older than the signing key may not have expired yet. */
  private keys: readonly (SigningKey & { createdAt: number })[] = [];
  private readonly reads = new OverlappingReads();
  /** The longest lifetime of a token that any instance issues, in seconds. */
  private tokenLife = 0;

  constructor(
    @InjectRepository(SigningKeyEntity) private readonly rows: Repository<SigningKeyEntity>,
    private readonly cacheVersion: CacheVersion,
    private readonly settings: AgreedSettings,
    private readonly sealing: Sealing,
    private readonly clock: Clock,
  ) {
    cacheVersion.registerRefresh(() => this.refresh());
  }

  /** @throws as `Sealing.open` */
  async onModuleInit(): Promise<void> {
    await this.refresh();
    await this.sealAnew();
    if (this.keys.length === 0) {
      await this.cacheVersion.commit([this.insertion()]);
      await this.refresh();
    }
  }

  /** The key to sign with: the newest that has been published long enough for all instances and clients. */
  get current(): SigningKey {
    const introduced = this.clock.now() - INTRODUCTION_MS;
    const key = this.keys.find(({ createdAt }) => createdAt <= introduced) ?? this.keys.at(-1);
    if (!key) throw new Error('There is no signing key.');
    return key;
  }

  /**
   * The key to verify a token with, read from the database now, so that a revoked key is invalid on all instances.
   * A rotated key stays valid until its last token has expired.
   */
  async findNow(kid: string | undefined): Promise<SigningKey | undefined> {
    if (kid === undefined) return undefined;
    await this.reload();
    return this.find(kid);
  }

  /** Finds a key among those that this instance read last. */
  find(kid: string | undefined): SigningKey | undefined {
    return this.unretired.find((key) => key.kid === kid);
  }

  /** RFC 7517 JWK Set of the public keys. */
  jwks(): JwksAnswer {
    return { keys: this.unretired.map(({ jwk }) => jwk) };
  }

  /** Adds a key that starts to sign after a minute, and deletes retired keys. */
  async rotate({ commit }: ChangingCall): Promise<void> {
    await this.reload();
    await commit([this.insertion(), RAISE_CACHE_VERSION], {});
    await this.cacheVersion.show(async () => {
      await this.refresh();
      for (const { kid } of this.keys.filter((key) => this.isRetired(key))) {
        await this.cacheVersion.commit([DELETE_KEY_BESIDE_OTHERS.mustChange({ kid })]);
      }
    });
  }

  /**
   * Revokes a key at once, whether it signs or not; replaces it if it is the last one. Other instances stop signing
   * with it and publishing it within seconds.
   *
   * @throws ApiError E0044R if there is no such key, E0052R if others changed the keys each time
   */
  async revoke({ commit }: ChangingCall, kid: string): Promise<void> {
    await untilStored('resource.changing', async () => {
      await this.reload();
      const others = this.keys.filter((key) => key.kid !== kid);
      if (others.length === this.keys.length) throw new ApiError('E0044R', 'signingKey.unknown');
      const unit = [
        ...(others.length === 0 ? [this.insertion()] : []),
        DELETE_KEY_BESIDE_OTHERS.mustChange({ kid }),
        RAISE_CACHE_VERSION,
      ];
      return (await commit(unit, { target: kid })) || OVERTAKEN;
    });
    await this.cacheVersion.show(() => this.reload());
  }

  /** Adds a key; those that exist must have been read. */
  private insertion(): Step {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const { kid } = signingKey(pem);
    return insertStep(this.rows, {
      kid,
      privateKey: this.sealing.seal(pem, placeOf(kid)),
      createdAt: this.timeOfNewest(),
    });
  }

  /** The keys whose tokens may still be valid. */
  private get unretired() {
    return this.keys.filter((key) => !this.isRetired(key));
  }

  /** The current time, or a later one than all keys have; ignores keys from an impossible time. */
  private timeOfNewest(): number {
    const now = this.clock.now();
    const times = this.keys.map(({ createdAt }) => createdAt + 1);
    return Math.max(now, ...times.filter((time) => time < now + CLOCKS_DIFFER_MS));
  }

  /**
   * Whether the next key has been signing for longer than the lifetime of a token. The clock decides, since there may
   * be no further rotation.
   */
  private isRetired(key: SigningKey): boolean {
    const next = this.keys[this.keys.findIndex(({ kid }) => kid === key.kid) - 1];
    if (!next) return false;
    const unusedSince = next.createdAt + INTRODUCTION_MS + this.tokenLife * 1000;
    return this.clock.now() >= unusedSince + CLOCKS_DIFFER_MS;
  }

  private async refresh(): Promise<void> {
    this.tokenLife = await this.settings.longest('jwtTtl');
    await this.reload();
  }

  private async reload(): Promise<void> {
    const isNewest = this.reads.begin();
    const rows = await this.rows.find({ order: { createdAt: 'DESC', kid: 'ASC' } });
    if (!isNewest()) return;
    this.keys = rows.map(({ kid, privateKey, createdAt }) => ({
      ...(this.keys.find((key) => key.kid === kid) ??
        signingKey(this.sealing.open(privateKey, placeOf(kid)))),
      createdAt,
    }));
  }

  async sealedTexts(): Promise<string[]> {
    return (await this.rows.find()).map(({ privateKey }) => privateKey);
  }

  /** Seals again the keys that are unsealed or were sealed with another sealing key. */
  private async sealAnew(): Promise<void> {
    for (const { kid, privateKey } of await this.rows.find()) {
      const renewed = this.sealing.renewed(privateKey, placeOf(kid));
      if (renewed === undefined) continue;
      const step = updateStep(this.rows, { kid, privateKey }, { privateKey: renewed });
      await this.cacheVersion.commit([step]);
    }
  }
}

const placeOf = (kid: string): string => `signing-key ${kid}`;

function signingKey(pem: string) {
  const privateKey = readPrivateKey(pem);
  const publicKey = createPublicKey(pem);
  const { kty, crv, x, y } = publicKey.export({ format: 'jwk' });
  // RFC 7638 thumbprint: the order of the members matters.
  const thumbprint = JSON.stringify({ crv, kty, x, y });
  const kid = createHash('sha256').update(thumbprint).digest('base64url');
  const jwk = { kty, crv, x, y, kid, use: 'sig', alg: 'ES256' } as TokenKey;
  return { kid, privateKey, publicKey, jwk };
}

function readPrivateKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    throw new Error('a signing key in the database is not a private key in PEM', { cause });
  }
}
