import type { Requirements, TokenError } from './token-verifier.js';

/** The token of an `Authorization: Bearer …` header (RFC 6750 §2.1). */
export const bearerOf = (authorization: string | undefined): string | undefined =>
  /^Bearer +([\w.~+/-]+=*)$/i.exec(authorization ?? '')?.[1];

/**
 * The `WWW-Authenticate` of a refusal: what was wrong, and what a sign-in must be like (RFC 6750 §3,
 * RFC 9470 §3). A caller without a token gets no error.
 */
export function challengeOf(error: TokenError | undefined, { acr, maxAge }: Requirements): string {
  if (!error) return 'Bearer';
  const { reason } = error;
  const wanted =
    reason === 'insufficient_user_authentication'
      ? [acr && `acr_values="${acr}"`, maxAge !== undefined && `max_age="${maxAge}"`]
      : [];
  return `Bearer ${[`error="${reason}"`, ...wanted.filter(Boolean)].join(', ')}`;
}
