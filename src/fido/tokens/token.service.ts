import { sign } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import type { JWTPayload } from 'jose';
import { baseAddress } from '../../config/base-address.js';
import { Clock } from '../../common/clock.js';
import { serverOptions } from '../../config/server-config.js';
import type { CredentialFacts } from '../../credentials/credential-reader.js';
import { randomText } from '../../common/random.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { aaguidText } from '../../webauthn/aaguid.js';
import type { VerifiedAuthentication } from '../../webauthn/authentication.js';
import { SigningKeys } from './signing-keys.js';

/** Seconds since its sign-in for which a token may add a key. */
const MOST_AUTHORITY_AGE = 300;
/** Seconds that a token may outlive its life for, between clocks. */
const GRACE = 60;

const segment = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The JWT that a successful assertion earns (RFC 7519, ES256 of RFC 7518 §3.4). */
@Injectable()
export class TokenService {
  private readonly issuer: string;
  /** The JOSE header of each key, encoded once. */
  private readonly headers = new Map<string, string>();

  constructor(
    private readonly keys: SigningKeys,
    private readonly clock: Clock,
    @Inject(serverOptions.KEY) private readonly options: ConfigType<typeof serverOptions>,
  ) {
    this.issuer = options.issuer ?? baseAddress(options);
  }

  issue(rp: RelyingParty, credential: CredentialFacts, verified: VerifiedAuthentication): string {
    const { kid, privateKey } = this.keys.current;
    const now = Math.floor(this.clock.now() / 1000);
    const claims = segment({
      iss: this.issuer,
      sub: credential.username,
      aud: rp.domain,
      iat: now,
      nbf: now,
      exp: now + this.options.jwtTtl,
      jti: randomText(16),
      auth_time: now,
      // RFC 8176: a synced key lives in software, whatever protects it.
      amr: [
        verified.backupEligible ? 'swk' : 'hwk',
        'user',
        ...(verified.userVerified ? ['mfa'] : []),
      ],
      acr: credential.attestationTrusted ? 'phrh' : 'phr',
      tenant: rp.tenant,
      cred: credential.credentialHash.toString('base64url'),
      aaguid: aaguidText(credential.aaguid),
    });
    const signed = `${this.header(kid)}.${claims}`;
    const signature = sign('sha256', Buffer.from(signed), {
      key: privateKey,
      dsaEncoding: 'ieee-p1363',
    });
    return `${signed}.${signature.toString('base64url')}`;
  }

  /**
   * The fingerprint of the credential with which this user signed in here, when the token counts as an
   * authority: for this relying party alone, of a sign-in at most five minutes ago that verified the
   * user. Whether the credential is still the user's is not looked at.
   *
   * @returns `undefined` when the token is none of ours, says too little, or is of somebody else
   */
  async signedInWith(
    token: string,
    rp: RelyingParty,
    username: string,
  ): Promise<Buffer | undefined> {
    const key = await this.keys.findNow(kidOf(token));
    if (!key) return undefined;
    try {
      const { payload } = await jwtVerify(token, key.publicKey, {
        algorithms: ['ES256'],
        issuer: this.issuer,
        audience: rp.domain,
        currentDate: new Date(this.clock.now()),
        // Whatever life it says: a key that was stolen may have signed it.
        maxTokenAge: Math.min(MOST_AUTHORITY_AGE, this.options.jwtTtl + GRACE),
        requiredClaims: ['exp', 'sub', 'cred'],
      });
      return isAuthority(payload, rp, username)
        ? Buffer.from(String(payload['cred']), 'base64url')
        : undefined;
    } catch {
      return undefined;
    }
  }

  private header(kid: string): string {
    let header = this.headers.get(kid);
    if (!header) this.headers.set(kid, (header = segment({ alg: 'ES256', typ: 'JWT', kid })));
    return header;
  }
}

/** The name of the key in the token's header, which nothing vouches for yet. */
function kidOf(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).kid;
  } catch {
    return undefined;
  }
}

/** What the claims say, of a token whose signature, issuer and times are good. */
function isAuthority(payload: JWTPayload, rp: RelyingParty, username: string): boolean {
  const { sub, aud, amr, tenant, txn } = payload;
  const theirs = sub === username && tenant === rp.tenant;
  const here = [aud].flat().length === 1;
  const verified = Array.isArray(amr) && amr.includes('mfa');
  // One that was given for a transaction agreed to that, and to nothing else.
  return theirs && here && verified && txn === undefined;
}
