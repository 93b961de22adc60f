import { Injectable } from '@nestjs/common';
import { createLocalJWKSet, errors, jwtVerify, type JWTPayload } from 'jose';
import { Clock } from '../platform/common/clock.js';
import { DAY_SECONDS, SECOND_MS } from '../platform/common/durations.js';
import type { EntraSettings } from '../issuers/clients/oidc-client.entity.js';
import { tenantIssuer, type EntraCloud } from './clouds.js';
import { HintKeys } from './hint-keys.js';

/** How long a hint is accepted after its end, in seconds: Entra issues it expired or nearly so. */
const GRACE = 600;
/** Hints that are older, in seconds, are refused whatever end they name. */
const MAX_AGE = DAY_SECONDS;
const MAX_SUBJECT = 255;

/** What Entra says about the user who signs in there. */
export interface EntraHint {
  readonly subject: string;
  /** The user's object ID in the tenant. */
  readonly oid: string | undefined;
  readonly preferredUsername: string | undefined;
  /** Milliseconds since 1970: the hint is accepted until then. */
  readonly acceptedUntil: number;
}

/** A hint, and the client whom it is for. */
interface SentHint {
  readonly hint: string;
  readonly cloud: EntraCloud;
  readonly clientId: string;
  readonly settings: EntraSettings;
}

/** Verifies `id_token_hint`, by which Entra ID names the user (OpenID Connect Core 1.0 §3.1.2.1). */
@Injectable()
export class HintVerifier {
  constructor(
    private readonly keys: HintKeys,
    private readonly clock: Clock,
  ) {}

  /**
   * @returns `undefined` for a hint that is forged, too old, or of another tenant or application
   * @throws EntraAway
   */
  async verify({ hint, cloud, clientId, settings }: SentHint): Promise<EntraHint | undefined> {
    const { tenantId, appId } = settings;
    const issuer = tenantIssuer(cloud, tenantId);
    try {
      const { payload } = await jwtVerify(
        hint,
        async (header, token) =>
          createLocalJWKSet(await this.keys.of(issuer, header.kid))(header, token),
        {
          algorithms: ['RS256'],
          issuer,
          // Documented is the client ID; in practice Entra names its application.
          audience: [appId, clientId],
          requiredClaims: ['sub', 'exp'],
          clockTolerance: GRACE,
          maxTokenAge: MAX_AGE,
          currentDate: new Date(this.clock.now()),
        },
      );
      const { sub, tid, oid, preferred_username: preferredUsername } = payload;
      const subject = textOf(sub);
      if (tid === tenantId && subject !== undefined && subject.length <= MAX_SUBJECT)
        return {
          subject,
          oid: textOf(oid),
          preferredUsername: textOf(preferredUsername),
          acceptedUntil: endOf(payload),
        };
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
    }
    return undefined;
  }
}

/** `jwtVerify` counts whole seconds, allows for `GRACE` in both, and requires both claims. */
const endOf = ({ exp = 0, iat = 0 }: JWTPayload): number =>
  (Math.min(exp, iat + MAX_AGE) + GRACE + 1) * SECOND_MS;

const textOf = (claim: unknown): string | undefined =>
  typeof claim === 'string' && claim !== '' ? claim : undefined;
