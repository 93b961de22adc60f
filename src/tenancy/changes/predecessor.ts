import { ApiError } from '../../platform/errors/api-error.js';
import { isGuarded, readPolicy } from '../policy/policy.js';
import type { RelyingPartyEntity } from '../relying-party.entity.js';
import type { RelyingParty } from '../relying-party.js';
import { ignoresCase } from '../usernames/name-key.js';

type PlannedRelyingParty = Pick<RelyingPartyEntity, 'domain' | 'predecessor' | 'policy'> & {
  readonly tenant: string;
};

/**
 * Refuses a change that would start or continue an unsafe move of users. The predecessor's policy must require
 * tickets or application keys: otherwise a stranger who registers a name there could sign in with it at the
 * successor.
 *
 * @param open all open relying parties, read from the database
 * @throws ApiError E0045R
 */
export function ensureMoveIsSafe(
  planned: PlannedRelyingParty,
  open: readonly RelyingParty[],
): void {
  const { domain, tenant } = planned;
  const others = open.filter((rp) => rp.domain !== domain);
  const successor = others.find((rp) => rp.predecessor === domain);
  if (successor && !isGuarded(readPolicy(planned.policy))) {
    throw new ApiError('E0045R', 'successor.open', { successor: successor.domain });
  }
  if (successor && ignoresCase(successor) && !ignoresCase(planned)) {
    throw new ApiError('E0045R', 'successor.case', { successor: successor.domain });
  }
  if (planned.predecessor === null) return;
  const predecessor = others.find(
    (rp) => rp.domain === planned.predecessor && rp.tenant === tenant,
  );
  if (!predecessor) throw refused('predecessor.otherTenant');
  if (successor || predecessor.predecessor !== null) throw refused('predecessor.moving');
  if (others.some((rp) => rp.predecessor === predecessor.domain)) {
    const values = { predecessor: predecessor.domain };
    throw new ApiError('E0045R', 'predecessor.taken', values, FIELD);
  }
  if (ignoresCase(planned) && !ignoresCase(predecessor)) throw refused('predecessor.case');
  if (!isGuarded(predecessor.policy)) throw refused('predecessor.open');
}

const FIELD = { field: 'predecessor' };

const refused = (
  reason:
    'predecessor.otherTenant' | 'predecessor.moving' | 'predecessor.case' | 'predecessor.open',
) => new ApiError('E0045R', reason, {}, FIELD);

/** What a move would decide about the users of the predecessor. */
export interface MoveForecast {
  readonly users: number;
  /** Number of users who would be one user at both domains. */
  readonly links: number;
  readonly collisions: number;
  /** `false` if there are more users than could be read in the time of a call. */
  readonly complete: boolean;
}

/** Counts what a move would decide; the feature that decides registers it. */
export interface MoveForecaster {
  forecast(successor: RelyingParty, predecessor: RelyingParty): Promise<MoveForecast>;
}

/** @throws ApiError E0045R if another relying party takes over the users of this domain */
export function ensureNotPredecessor(domain: string, open: readonly RelyingParty[]): void {
  const successor = open.find((rp) => rp.predecessor === domain);
  if (!successor) return;
  throw new ApiError('E0045R', 'relyingParty.named', { successor: successor.domain, domain });
}
