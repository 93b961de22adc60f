import { hash } from 'node:crypto';
import { ApiError } from '../../platform/errors/api-error.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import type { BeginAuthenticationDto } from './authentication.dto.js';
import type { Acr, TransactionToConfirm } from './authentication.validators.js';

/** Claims that a begin call requests for the token of its sign-in. */
export interface RequestedClaims {
  readonly nonce?: string;
  /** The token's audience, if not the relying party. */
  readonly audience?: string;
  readonly acr?: Acr;
  /** SHA-256 of the transaction that the user confirms, Base64URL. */
  readonly txn?: string;
}

/**
 * The claims that a begin call requests for the token; none for an ordinary sign-in.
 *
 * @throws ApiError E0046R if tokens are switched off, E0001R for an audience that the policy does not name
 */
export function requestedClaims(
  rp: RelyingParty,
  { nonce, audience, acr, transaction }: BeginAuthenticationDto,
  { jwt }: { readonly jwt: boolean },
): { readonly agreed?: RequestedClaims } {
  const claims = {
    ...(nonce !== undefined && { nonce }),
    ...(audience !== undefined && { audience }),
    ...(acr !== undefined && { acr }),
    ...(transaction !== undefined && { txn: transactionDigest(transaction) }),
  };
  if (Object.keys(claims).length === 0) return {};
  if (!jwt) throw new ApiError('E0046R', 'token.off');
  if (audience !== undefined && !rp.policy.audiences.includes(audience)) {
    throw new ApiError('E0001R', 'audience.notListed');
  }
  return { agreed: claims };
}

const transactionDigest = (transaction: TransactionToConfirm): string =>
  'hash' in transaction ? transaction.hash : hash('sha256', transaction.text, 'base64url');
