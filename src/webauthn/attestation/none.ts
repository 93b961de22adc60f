import { isCborMap } from '../cbor.js';
import { ensure } from '../failure.js';
import type { AttestationInput, AttestationResult } from './format.js';

/** WebAuthn L3 §8.7 "None Attestation Statement Format": an empty map; nothing is signed. */
export function verifyNone({ statement }: AttestationInput): AttestationResult {
  const empty = isCborMap(statement) && statement.size === 0;
  ensure(empty, 'attestation-malformed', 'attStmt is not an empty map');
  return { type: 'none', trustPath: [] };
}
