import type { Requirements, TokenError } from './token-verifier.js';

/** Returns the token of an `Authorization: Bearer …` header (RFC 6750 §2.1), or `undefined`. */
export const bearerOf = (authorization: string | undefined): string | undefined =>
  /^Bearer +([\w.~+/-]+=*)$/i.exec(authorization ?? '')?.[1];

/**
 * Returns the `WWW-Authenticate` header of a 401 answer: the error (RFC 6750 §3), and the required sign-in if
 * another sign-in helps (RFC 9470 §3). Without a token there is no error to report.
 */
export function challengeOf(error: TokenError | undefined, { acr, maxAge }: Requirements): string {
  if (!error) return 'Bearer';
  const { reason } = error;
  const requirements =
    reason === 'insufficient_user_authentication'
      ? [acr && `acr_values="${acr}"`, maxAge !== undefined && `max_age="${maxAge}"`]
      : [];
  return `Bearer ${[`error="${reason}"`, ...requirements.filter(Boolean)].join(', ')}`;
}
