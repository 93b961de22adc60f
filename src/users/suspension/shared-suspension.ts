import type { Step } from '../../platform/database/commit/unit.js';
import type { DatabaseKind } from '../../platform/database/entities/table.js';
import { scope } from '../../platform/database/scope.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { SHARE_SUSPENSION } from './suspension.statements.js';

/**
 * The steps of a unit that links users of both domains of a move: who is suspended at one is suspended at both.
 *
 * @param rp the new domain
 */
export const sharedSuspension = (
  kind: DatabaseKind,
  rp: RelyingParty,
  formerUserIds: readonly Buffer[],
): Step[] => SHARE_SUSPENSION.map((each) => each[kind].step({ ...scope(rp), formerUserIds }));
