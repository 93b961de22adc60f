import { ensure } from '../failure.js';
import type { AttestationInput, AttestationResult } from './format.js';

/** WebAuthn L3 §8.7 "None Attestation Statement Format": an empty map, and nothing is signed. */
export function verifyNone({ statement }: AttestationInput): AttestationResult {
  ensure(statement.size === 0, 'attestation-malformed', 'none carries a statement');
  return { type: 'none', trustPath: [] };
}
