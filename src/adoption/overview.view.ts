import { shareText } from '../platform/pages/languages/phrase.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import type { Target } from './target/targets.js';
import type { UsersView } from './users.answer.js';
import { commonOf } from './adoption.view.js';

const rowOf = (users: UsersView) => ({
  ...users,
  share: shareText(users.withKey, users.total),
});

/** The page of one relying party. */
export const adoptionAddress = (domain: string): string =>
  `/adoption?${new URLSearchParams({ rp: domain }).toString()}`;

/**
 * The page of all relying parties together.
 *
 * @param targets by the ID of the relying party in hex digits
 */
export function overviewPage(
  counted: readonly { readonly rp: RelyingParty; readonly users: UsersView }[],
  targets: ReadonlyMap<string, Target>,
) {
  const sum = (name: keyof UsersView) =>
    counted.reduce((total, { users }) => total + users[name], 0);
  return {
    ...commonOf(counted.map(({ rp }) => ({ domain: rp.domain, selected: false }))),
    overview: {
      rows: counted.map(({ rp, users }) => ({
        ...rowOf(users),
        domain: rp.domain,
        target: targets.get(rp.id.toString('hex')),
        address: adoptionAddress(rp.domain),
      })),
      all: rowOf({ total: sum('total'), withKey: sum('withKey'), active: sum('active') }),
    },
  };
}
