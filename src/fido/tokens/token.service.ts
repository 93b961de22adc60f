import { sign } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { jwtVerify } from 'jose';
import { baseAddress } from '../../config/base-address.js';
import { Clock } from '../../common/clock.js';
import { serverOptions } from '../../config/server-config.js';
import type { CredentialFacts } from '../../credentials/credential-reader.js';
import { randomText } from '../../common/random.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { aaguidText } from '../../webauthn/aaguid.js';
import type { VerifiedAuthentication } from '../../webauthn/authentication.js';
import { SigningKeys } from './signing-keys.js';

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
   * The fingerprint of the credential with which this user signed in here.
   *
   * @returns `undefined` when the token is none of ours, not fresh, or of somebody else
   */
  async signedInWith(
    token: string,
    rp: RelyingParty,
    username: string,
  ): Promise<Buffer | undefined> {
    try {
      const { payload } = await jwtVerify(
        token,
        ({ kid }) => {
          const key = this.keys.find(kid);
          if (!key) throw new Error('unknown key');
          return key.publicKey;
        },
        {
          algorithms: ['ES256'],
          issuer: this.issuer,
          audience: rp.domain,
          currentDate: new Date(this.clock.now()),
          requiredClaims: ['exp', 'sub', 'cred'],
        },
      );
      const theirs = payload.sub === username && payload['tenant'] === rp.tenant;
      return theirs ? Buffer.from(String(payload['cred']), 'base64url') : undefined;
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
