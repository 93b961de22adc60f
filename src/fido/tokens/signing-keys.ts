import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { Clock } from '../../common/clock.js';
import { OverlappingReads } from '../../common/overlapping-reads.js';
import { serverOptions } from '../../config/server-config.js';
import { deleteStep, insertStep, updateStep } from '../../database/commit/step-of.js';
import { Database } from '../../database/database.js';
import { Sealing } from '../../database/sealing.js';
import type { JwksAnswer, TokenKey } from './jwks.answer.js';
import { SigningKeyEntity } from './signing-key.entity.js';

const RELOAD_MS = 10_000;
/** A new key is published this long before it signs, so that every instance and client knows it. */
const INTRODUCTION_MS = 60_000;

export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly jwk: TokenKey;
}

/** The ES256 keys of the tokens, made at first start, kept in the database and shared by all instances. */
@Injectable()
export class SigningKeys implements OnModuleInit, OnModuleDestroy {
  /** Newest first; tokens of those older than the signing key may not have expired yet. */
  private keys: readonly (SigningKey & { createdAt: number })[] = [];
  private readonly reads = new OverlappingReads();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @InjectRepository(SigningKeyEntity) private readonly rows: Repository<SigningKeyEntity>,
    private readonly database: Database,
    private readonly sealing: Sealing,
    private readonly clock: Clock,
    @Inject(serverOptions.KEY) private readonly options: ConfigType<typeof serverOptions>,
  ) {}

  /** @throws as `Sealing.open` */
  async onModuleInit(): Promise<void> {
    await this.reload();
    await this.sealAnew();
    if (this.keys.length === 0) await this.create();
    this.timer = setInterval(() => void this.reloadQuietly(), RELOAD_MS);
    this.timer.unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** The key to sign with: the newest that all instances and clients have had time to learn of. */
  get current(): SigningKey {
    const introduced = this.clock.now() - INTRODUCTION_MS;
    const key = this.keys.find(({ createdAt }) => createdAt <= introduced) ?? this.keys.at(-1);
    if (!key) throw new Error('There is no signing key.');
    return key;
  }

  /**
   * The key to verify a token by, as the database holds it at this moment, so that a revoked one counts on no
   * instance any more. A rotated one counts until its last token has expired.
   */
  async findNow(kid: string | undefined): Promise<SigningKey | undefined> {
    if (kid === undefined) return undefined;
    await this.reload();
    return this.find(kid);
  }

  /** A key among those that this instance read last. */
  find(kid: string | undefined): SigningKey | undefined {
    return this.unretired.find((key) => key.kid === kid);
  }

  /** RFC 7517 JWK Set of the public keys. */
  jwks(): JwksAnswer {
    return { keys: this.unretired.map(({ jwk }) => jwk) };
  }

  /** Adds a key that will sign after a minute, and deletes those that are retired. */
  async create(): Promise<void> {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const { kid } = signingKey(pem);
    const row = {
      kid,
      privateKey: this.sealing.seal(pem, placeOf(kid)),
      createdAt: this.clock.now(),
    };
    await this.database.commit([insertStep(this.rows, row)]);
    await this.reload();
    for (const key of this.keys) if (this.isRetired(key)) await this.delete(key.kid);
  }

  /**
   * Takes a key out of use at once, whether it signs or not; if it is the last one, a new one is made. Other
   * instances stop signing with it and publishing it within `RELOAD_MS`.
   *
   * @returns whether there was such a key
   */
  async revoke(kid: string): Promise<boolean> {
    await this.reload();
    const left = this.keys.filter((key) => key.kid !== kid);
    if (left.length === this.keys.length) return false;
    if (left.length === 0) await this.create();
    await this.delete(kid);
    await this.reload();
    return true;
  }

  private async delete(kid: string): Promise<void> {
    await this.database.commit([deleteStep(this.rows, { kid })]);
  }

  /** The keys whose tokens may still be valid. */
  private get unretired() {
    return this.keys.filter((key) => !this.isRetired(key));
  }

  /**
   * Whether the next key has been signing for the life of a token. The clock decides, since no further
   * rotation may follow.
   */
  private isRetired(key: SigningKey): boolean {
    const next = this.keys[this.keys.findIndex(({ kid }) => kid === key.kid) - 1];
    if (!next) return false;
    return this.clock.now() >= next.createdAt + INTRODUCTION_MS + this.options.jwtTtl * 1000;
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

  /** The private keys as they stand in the database. */
  async sealedTexts(): Promise<string[]> {
    return (await this.rows.find()).map(({ privateKey }) => privateKey);
  }

  /** Seals again the keys that another sealing key sealed, or none. */
  private async sealAnew(): Promise<void> {
    for (const { kid, privateKey } of await this.rows.find()) {
      const renewed = this.sealing.renewed(privateKey, placeOf(kid));
      if (renewed === undefined) continue;
      const step = updateStep(this.rows, { kid, privateKey }, { privateKey: renewed });
      await this.database.commit([step]);
    }
  }

  private async reloadQuietly(): Promise<void> {
    try {
      await this.reload();
    } catch (error) {
      Logger.debug(`The signing keys could not be read again: ${String(error)}`, 'Token');
    }
  }
}

const placeOf = (kid: string): string => `signing-key ${kid}`;

/** Reads a key from PEM, never from one just generated: Node 20 can freeze when it exports that as JWK. */
function signingKey(pem: string): SigningKey {
  const privateKey = readPrivateKey(pem);
  const publicKey = createPublicKey(pem);
  const { kty, crv, x, y } = publicKey.export({ format: 'jwk' });
  // RFC 7638 thumbprint: the members in this order.
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
