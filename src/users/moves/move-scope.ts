import { scope, type Scope } from '../../platform/database/scope.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';

/** The scope is the successor. */
export interface MoveScope extends Scope {
  readonly predecessorId: Buffer;
}

/** The parameters of statements about the move between two relying parties. */
export const moveScope = (successor: RelyingParty, predecessor: RelyingParty): MoveScope => ({
  ...scope(successor),
  predecessorId: predecessor.id,
});
