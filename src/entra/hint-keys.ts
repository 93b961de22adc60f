import { createPublicKey } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import type { JSONWebKeySet } from 'jose';
import { BoundedMap } from '../platform/common/caching.js';
import { Clock } from '../platform/common/clock.js';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../platform/common/durations.js';
import { isObject } from '../platform/validation/field-validator.js';
import { EntraSource } from './entra-source.js';

const MAX_ISSUERS = 1_000;
const MAX_KEYS = 100;
const MIN_RSA_BITS = 2_048;
/** Keys are read again after this time, or earlier for an unknown key ID. */
const RENEWAL_MS = HOUR_MS;
/** How long keys are used while Entra does not answer. */
const MAX_AGE_MS = DAY_MS;
/** Nobody can make this server ask for the keys of an issuer more often. */
const PAUSE_MS = 30 * SECOND_MS;

/** What is known of an issuer. Times are milliseconds since 1970. */
interface KnownIssuer {
  keys?: { readonly jwks: JSONWebKeySet; readonly readAt: number };
  askedAt: number;
  /** Resolves when Entra has answered, or did not. */
  asking: Promise<void>;
  failure?: unknown;
}

/** Thrown if the keys of a tenant cannot be read now. */
export class EntraAway extends Error {}

/** The keys with which the tenants of Entra ID sign, as their metadata names them (OpenID Connect Discovery 1.0 §3). */
@Injectable()
export class HintKeys {
  private readonly logger = new Logger(HintKeys.name);
  private readonly known = new BoundedMap<KnownIssuer>(MAX_ISSUERS);

  constructor(
    private readonly source: EntraSource,
    private readonly clock: Clock,
  ) {}

  /**
   * The keys of an issuer, read again if they are old or none has this ID. Nobody waits for Entra because of somebody
   * else's key ID.
   *
   * @param issuer of a tenant, at the host of a cloud
   * @param kid of a token that nobody has verified yet
   * @throws EntraAway
   */
  async of(issuer: string, kid: string | undefined): Promise<JSONWebKeySet> {
    const known = this.known.get(issuer) ?? { askedAt: 0, asking: Promise.resolve() };
    this.known.set(issuer, known);
    const isKnown = known.keys?.jwks.keys.some((key) => key.kid === kid);
    if (known.keys && isKnown && this.isWithin(RENEWAL_MS, known.keys.readAt))
      return known.keys.jwks;
    if (!this.isWithin(PAUSE_MS, known.askedAt)) {
      known.askedAt = this.clock.now();
      known.asking = this.ask(issuer, known);
    }
    await known.asking;
    if (known.keys && this.isWithin(MAX_AGE_MS, known.keys.readAt)) return known.keys.jwks;
    throw new EntraAway('', { cause: known.failure });
  }

  /** The clock may have been set back since. */
  private isWithin(ms: number, time: number): boolean {
    return Math.abs(this.clock.now() - time) < ms;
  }

  private async ask(issuer: string, known: KnownIssuer): Promise<void> {
    try {
      known.keys = { jwks: await this.read(issuer), readAt: this.clock.now() };
    } catch (error) {
      known.failure = error;
      this.logger.warn(`The keys of ${issuer} could not be read: ${(error as Error).message}`);
    }
  }

  private async read(issuer: string): Promise<JSONWebKeySet> {
    const metadata = await this.source.read(new URL(`${issuer}/.well-known/openid-configuration`));
    if (!isObject(metadata) || metadata['issuer'] !== issuer)
      throw new Error('the metadata is of another issuer');
    const address = new URL(String(metadata['jwks_uri']));
    if (address.origin !== new URL(issuer).origin) throw new Error('the keys are at another host');
    const found = await this.source.read(address);
    const keys = isObject(found) ? found['keys'] : undefined;
    if (!Array.isArray(keys) || keys.length > MAX_KEYS || !keys.every(isObject))
      throw new Error('the keys cannot be read');
    return { keys: keys.filter((key) => isOf(issuer, key) && isUsable(key)) };
  }
}

/**
 * Whether a published key signs for an issuer. Entra publishes keys of consumer accounts beside those of tenants: a key
 * names its issuer, or all tenants by a template.
 */
function isOf(issuer: string, { issuer: named = issuer }: { readonly issuer?: unknown }): boolean {
  const [, tenantId = ''] = new URL(issuer).pathname.split('/');
  return typeof named === 'string' && named.replace('{tenantid}', tenantId) === issuer;
}

/** Whether a key can verify RS256 (RFC 7518 §3.3). One that cannot takes none of the others away. */
function isUsable(key: Record<string, unknown>): boolean {
  try {
    const { asymmetricKeyDetails } = createPublicKey({ key, format: 'jwk' });
    return (asymmetricKeyDetails?.modulusLength ?? 0) >= MIN_RSA_BITS;
  } catch {
    return false;
  }
}
