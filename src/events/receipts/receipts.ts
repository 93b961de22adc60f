import type { Repository } from 'typeorm';
import type { Step } from '../../platform/database/commit/unit.js';
import { scope, type ScopeOwner } from '../../platform/database/scope.js';
import { normalizeName } from '../../platform/validation/values/names.js';
import { decodeBase64Url } from '../../webauthn/base64url.js';
import { KEEP_RECEIPT } from '../event.statements.js';
import type { Receipt } from './receipt.entity.js';

const ID_BYTES = 16;

export type ConfirmedTransaction = Omit<Receipt, 'at' | 'tenantId' | 'relyingPartyId'>;

/** Returns the step that stores a receipt; it belongs to the unit that records the sign-in. */
export function receiptStep(rp: ScopeOwner, at: number, confirmed: ConfirmedTransaction): Step {
  const username = Buffer.from(normalizeName(confirmed.username), 'utf8');
  return KEEP_RECEIPT.step({ ...confirmed, ...scope(rp), at, username });
}

/**
 * Finds a receipt, which proves that a user confirmed a transaction.
 *
 * @param id Base64URL, as in the answer to the sign-in; for any other text, nothing is found
 */
export async function findReceipt(
  receipts: Repository<Receipt>,
  rp: ScopeOwner,
  id: string,
): Promise<Receipt | undefined> {
  const bytes = decodeBase64Url(id);
  if (bytes?.length !== ID_BYTES) return undefined;
  return (await receipts.findOneBy({ ...scope(rp), id: bytes })) ?? undefined;
}
