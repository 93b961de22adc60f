import { ApiError } from '../errors/api-error.js';
import { isGuarded, readPolicy } from './policy.js';
import type { RelyingPartyEntity } from './relying-party.entity.js';
import type { RelyingParty } from './relying-party.js';
import { ignoresCase } from './usernames/name-key.js';

/** What a change would make of a relying party. */
type Planned = Pick<RelyingPartyEntity, 'domain' | 'predecessor' | 'policy'> & {
  readonly tenant: string;
};

const demand = (sentence: string) => new ApiError('E0045R', sentence);

/**
 * Refuses a change that would begin a move of users from one domain to another, or leave one as it is,
 * where the move is not safe. The old domain must demand tickets or applications' keys: whoever can
 * register a name there could sign in with it at the new one. Its own policy must say so, since the
 * server's option may be another after the next start.
 *
 * @param open all open relying parties, as the database holds them now
 * @throws ApiError E0045R
 */
export function ensureMoves(planned: Planned, open: readonly RelyingParty[]): void {
  const { domain, tenant, predecessor } = planned;
  const others = open.filter((rp) => rp.domain !== domain);
  const successor = others.find((rp) => rp.predecessor === domain);
  if (successor && !isGuarded(readPolicy(planned.policy))) {
    throw demand(`"${successor.domain}" takes the users over: ${GUARDED}`);
  }
  if (successor && ignoresCase(successor) && !ignores(planned)) {
    throw demand(`"${successor.domain}" takes the users over: ${CASE}`);
  }
  if (predecessor === null) return;
  const former = others.find((rp) => rp.domain === predecessor && rp.tenant === tenant);
  if (!former) throw demand('"predecessor" must be another relying party of the same tenant.');
  if (successor || former.predecessor !== null) {
    throw demand(
      '"predecessor": one move after the other. This one or that one is moving already.',
    );
  }
  if (others.some((rp) => rp.predecessor === predecessor)) {
    throw demand(`"predecessor": another relying party takes over the users of "${predecessor}".`);
  }
  if (ignores(planned) && !ignoresCase(former)) throw demand(`"predecessor": ${CASE}`);
  if (!isGuarded(former.policy)) throw demand(`"predecessor": ${GUARDED}`);
}

const GUARDED =
  'the old domain must demand tickets ("policy.registration": "ticket") or keys of applications ' +
  '("policy.callers": "keys"), or whoever registers a name there could sign in with it at the new one.';

const CASE =
  'where case does not count in user names of the new domain, it must not in those of the old one ' +
  '("policy.usernames": "case-insensitive").';

const ignores = ({ policy }: Planned): boolean => policy.usernames === 'case-insensitive';

/** @throws ApiError E0045R for a domain whose users another one takes over */
export function ensureNotNamed(domain: string, open: readonly RelyingParty[]): void {
  const successor = open.find((rp) => rp.predecessor === domain);
  if (!successor) return;
  throw demand(`"${successor.domain}" takes the users of "${domain}" over: end that first.`);
}
