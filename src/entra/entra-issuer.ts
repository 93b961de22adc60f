import { Inject, Injectable } from '@nestjs/common';
import { SignJWT } from 'jose';
import { BoundedMap } from '../platform/common/caching.js';
import { Clock } from '../platform/common/clock.js';
import { MINUTE_MS } from '../platform/common/durations.js';
import { serverOptions, type ServerOptions } from '../platform/config/server-config.js';
import { issuerAddress } from '../issuers/issuer-address.js';
import { IssuerKeys, type IssuerKey } from '../issuers/issuer-keys.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { ENTRA_ACRS, AMR } from './authorization-request.js';
import type { PendingSignIn } from './pending-sign-ins.js';
import { selfSignedCertificate } from './self-signed-certificate.js';

const TOKEN_MS = 5 * MINUTE_MS;
/** The maximum length of a common name (RFC 5280, appendix A.1). */
const MAX_NAME = 64;
/** About 1 KiB each. They are kept, since anyone may ask for the keys and each signature takes a millisecond. */
const MAX_CERTIFICATES = 5_000;

/** The issuer of a relying party for Entra ID: its metadata, keys and ID tokens. */
@Injectable()
export class EntraIssuer {
  /** By domain and key ID. */
  private readonly certificates = new BoundedMap<Buffer>(MAX_CERTIFICATES);

  constructor(
    private readonly keys: IssuerKeys,
    private readonly clock: Clock,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
  ) {}

  /** OpenID Connect Discovery 1.0 §3. */
  metadata({ domain }: RelyingParty) {
    const issuer = issuerAddress(this.options, 'entra', domain);
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      jwks_uri: `${issuer}/jwks`,
      scopes_supported: ['openid'],
      response_types_supported: ['id_token'],
      response_modes_supported: ['form_post'],
      grant_types_supported: ['implicit'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      claim_types_supported: ['normal'],
      claims_supported: ['iss', 'sub', 'aud', 'exp', 'iat', 'nonce', 'acr', 'amr'],
      claims_parameter_supported: true,
      acr_values_supported: ENTRA_ACRS,
    };
  }

  /** The public keys (RFC 7517), each with its certificate. */
  async jwks(rp: RelyingParty) {
    const keys = await this.keys.of(rp, 'entra');
    return {
      keys: keys.map((key) => {
        const { kty, n, e, kid, alg, use } = key.jwk;
        const certificate = this.certificateOf(key, rp);
        return { kty, n, e, kid, alg, use, x5c: [certificate.toString('base64')] };
      }),
    };
  }

  /** The ID token of a sign-in that has succeeded. */
  async idToken(rp: RelyingParty, signIn: PendingSignIn): Promise<string> {
    const { clientId, hint, nonce, acr } = signIn;
    const [key] = await this.keys.of(rp, 'entra');
    if (!key) throw new Error('The issuer has no key.');
    const now = this.clock.now();
    return new SignJWT({ nonce, acr, amr: [AMR] })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: key.jwk.kid })
      .setIssuer(issuerAddress(this.options, 'entra', rp.domain))
      .setAudience(clientId)
      .setSubject(hint.subject)
      .setIssuedAt(new Date(now))
      .setExpirationTime(new Date(now + TOKEN_MS))
      .sign(key.jwk);
  }

  private certificateOf(key: IssuerKey, { domain }: RelyingParty): Buffer {
    const name = `${domain} ${key.jwk.kid}`;
    const known = this.certificates.get(name);
    if (known) return known;
    const certificate = selfSignedCertificate(key, domain.slice(0, MAX_NAME));
    this.certificates.set(name, certificate);
    return certificate;
  }
}
