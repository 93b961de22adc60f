import { createPublicKey, generateKeyPair, hash, type JsonWebKey } from 'node:crypto';
import { promisify } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { ChangingCall } from '../audit/audited.js';
import { BoundedMap } from '../platform/common/caching.js';
import { Clock } from '../platform/common/clock.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../platform/common/durations.js';
import { CacheVersion, RAISE_CACHE_VERSION } from '../platform/database/cache-version.js';
import type { ScopeOwner } from '../platform/database/scope.js';
import { mapKey } from '../platform/database/row-ids.js';
import { SecretStore } from '../platform/database/secrets/secret-store.js';
import { OVERTAKEN, untilStored } from '../platform/database/commit/until-stored.js';
import { ApiError } from '../platform/errors/api-error.js';
import type { ClientAlgorithm, Door } from './clients/oidc-client.entity.js';

interface DoorKeys {
  readonly algorithms: readonly ClientAlgorithm[];
  /** A new key is published this long before it signs, so that every client can know it. */
  readonly introductionMs: number;
  /** How long a key is published after another one replaced it: as long as anyone may send its tokens. */
  readonly retirementMs: number;
}

/** A session of a browser ends after this time in any case: a working day. */
export const SESSION_MS = 12 * HOUR_MS;

const DOORS: Readonly<Record<Door, DoorKeys>> = {
  oidc: {
    algorithms: ['ES256', 'RS256'],
    introductionMs: 5 * MINUTE_MS,
    // An ID token ends the session in which it was issued, also after its own end (RP-Initiated Logout 1.0 §2).
    retirementMs: SESSION_MS + HOUR_MS,
  },
  // Entra reads the keys once a day, and Microsoft advises to wait for two.
  entra: { algorithms: ['RS256'], introductionMs: 2 * DAY_MS, retirementMs: 3 * HOUR_MS },
};

/** The maximum number of keys in a list. Sealed, they fit into a column of 64 KiB. */
const MAX_KEYS = 10;

/** The lists of keys that a relying party may have. */
const LISTS = (['oidc', 'entra'] as const).flatMap((door) =>
  DOORS[door].algorithms.map((algorithm) => ({ door, algorithm })),
);

/** A private key (RFC 7517), and when it was made, in milliseconds since 1970. */
export interface IssuerKey {
  readonly jwk: JsonWebKey & { readonly kid: string; readonly alg: string; readonly use: 'sig' };
  readonly createdAt: number;
}

type KeyLists = readonly (readonly IssuerKey[])[];

const MAX_KNOWN = 5_000;

const newKeyPair = promisify(generateKeyPair);

/**
 * The signing keys of each issuer, which no other issuer and no token of the four calls has: a relying party is an issuer
 * at each door. They are shared secrets, a list for each algorithm, newest first. The first client that wants an
 * algorithm creates its key.
 */
@Injectable()
export class IssuerKeys {
  /**
   * The keys of issuers, newest first. Each change replaces the map: a read that began before it stores its result in
   * the former one.
   */
  private known = new BoundedMap<KeyLists>(MAX_KNOWN);

  constructor(
    private readonly secrets: SecretStore,
    private readonly clock: Clock,
    private readonly cacheVersion: CacheVersion,
  ) {
    cacheVersion.registerRefresh(async () => this.forget());
  }

  /** The private keys of an issuer that did not retire: for each algorithm the one that signs, then the others. */
  async of(rp: ScopeOwner, door: Door): Promise<readonly IssuerKey[]> {
    const { algorithms, introductionMs } = DOORS[door];
    const name = `${door} ${mapKey(rp.id)}`;
    const { known } = this;
    let lists = known.get(name);
    if (!lists) {
      lists = await Promise.all(algorithms.map((one) => this.read(nameOf(rp, door, one))));
      known.set(name, lists);
    }
    return lists.flatMap((keys) => this.signingFirst(this.unretired(keys, door), introductionMs));
  }

  /** Creates the key of an algorithm if the issuer has none. */
  async ensure(rp: ScopeOwner, door: Door, algorithm: ClientAlgorithm): Promise<void> {
    const name = nameOf(rp, door, algorithm);
    if ((await this.read(name)).length > 0) return;
    const text = JSON.stringify([await this.newKey(algorithm)]);
    await this.secrets.findOrCreate(name, () => text);
    // Lets all instances read the keys again.
    await this.cacheVersion.commit([]);
    this.forget();
  }

  /**
   * Adds a key for each algorithm of the relying party's issuers, which signs once it has been introduced; adds none
   * while the newest key does not sign yet. Forgets keys that retired.
   *
   * @param revoke whether all keys may have been stolen: then the new ones replace them at once
   * @throws ApiError E0044R if the issuers never had a client, E0045R if they have too many keys
   */
  async rotate({ commit }: ChangingCall, rp: ScopeOwner, { revoke }: { readonly revoke: boolean }) {
    await untilStored('resource.changing', async () => {
      const steps = await Promise.all(
        LISTS.map(({ door, algorithm }) =>
          this.secrets.changing(nameOf(rp, door, algorithm), async (text) => {
            if (revoke) return JSON.stringify([await this.newKey(algorithm)]);
            const { introductionMs } = DOORS[door];
            const kept = this.unretired(JSON.parse(text) as IssuerKey[], door);
            const [signing] = this.signingFirst(kept, introductionMs);
            // If a newer key were replaced before it signs, frequent rotations would let none sign.
            if (kept[0] !== signing) return JSON.stringify(kept);
            if (kept.length >= MAX_KEYS)
              throw new ApiError('E0045R', 'oidc.tooManyKeys', { most: MAX_KEYS });
            return JSON.stringify([await this.newKey(algorithm), ...kept]);
          }),
        ),
      );
      if (steps.flat().length === 0) throw new ApiError('E0044R', 'oidc.noClient');
      const detail = { detail: { revoke } };
      return (await commit([...steps.flat(), RAISE_CACHE_VERSION], detail)) || OVERTAKEN;
    });
    this.forget();
  }

  private forget(): void {
    this.known = new BoundedMap(MAX_KNOWN);
  }

  private async read(name: string): Promise<readonly IssuerKey[]> {
    return JSON.parse((await this.secrets.find(name)) ?? '[]') as IssuerKey[];
  }

  private signingFirst(keys: readonly IssuerKey[], introductionMs: number): readonly IssuerKey[] {
    const introduced = this.clock.now() - introductionMs;
    const signing = keys.find(({ createdAt }) => createdAt <= introduced) ?? keys.at(-1);
    return signing ? [signing, ...keys.filter((key) => key !== signing)] : [];
  }

  /** The keys without those that retired: who stole one of these must not be believed for ever. */
  private unretired(keys: readonly IssuerKey[], door: Door): readonly IssuerKey[] {
    const { introductionMs, retirementMs } = DOORS[door];
    const replaced = this.clock.now() - introductionMs - retirementMs;
    // The key before it is the one that replaced it.
    return keys.filter((_, n) => (keys[n - 1]?.createdAt ?? replaced) >= replaced);
  }

  private async newKey(algorithm: ClientAlgorithm): Promise<IssuerKey> {
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

const nameOf = ({ id }: ScopeOwner, door: Door, algorithm: ClientAlgorithm): string =>
  `${door}-${algorithm} ${id.toString('base64url')}`;
