import { phrase } from '../../../platform/pages/languages/phrase.js';
import type { RecordedEvent } from '../../../events/event-log.js';
import { originIn } from '../../../events/event.answer.js';
import { allowOriginCommand } from '../../../tenancy/changes/allow-origin-command.js';
import type { RelyingParty } from '../../../tenancy/relying-party.js';
import type { Account } from '../../../platform/access/accounts/account.js';
import { may } from '../../../platform/access/permissions.js';
import type { PickerEntry } from '../page-parties.js';
import { USERS_PAGE, userPermissions, userAddress } from '../page-frame.js';
import type { NoKeyHelps } from './no-key-helps.js';
import { timelineEntries } from './timeline.view.js';

/** How events were searched; `latest` without a search. */
export type SearchedBy = 'request' | 'name' | 'code' | 'time' | 'latest';

export interface ExplainSearch {
  readonly request: string | undefined;
  readonly name: string | undefined;
  readonly code: string | undefined;
  /** UTC, to the minute. */
  readonly at: string | undefined;
}

export interface LocatedEvent {
  readonly event: RecordedEvent;
  readonly rp: RelyingParty;
  /** For a name that had no key to sign in with: its present state, and advice by it. */
  readonly help?: Awaited<ReturnType<NoKeyHelps['of']>>;
  /** For a broken rule: the name of the profile that applies to the user today. */
  readonly profile?: string | undefined;
}

export function explainPage(
  account: Account,
  asked: ExplainSearch & { readonly choices: readonly PickerEntry[] },
  found: readonly LocatedEvent[],
  by: SearchedBy,
) {
  const entries = timelineEntries(found.map(({ event }) => event));
  return {
    title: phrase('users:explain.title'),
    ...USERS_PAGE,
    tab: { explain: true },
    permissions: userPermissions(account),
    ...asked,
    by: { [by]: true },
    scripts: ['/static/js/explain.js'],
    entries: entries.map((entry, n) => {
      const one = found[n];
      const domain = one?.rp.domain ?? '';
      const address = entry.name === '' ? undefined : userAddress(entry.name, domain);
      const explained = by === 'request' ? undefined : entry.explained;
      return {
        ...entry,
        ...one?.help,
        profile: one?.profile,
        domain,
        address,
        explained,
        origin: one && originHelp(one, account),
      };
    }),
  };
}

/** For an origin that is not allowed: the allowed ones and, if the account may add it, the command to do so. */
function originHelp({ event, rp }: LocatedEvent, account: Account) {
  const arrived = originIn(event.detail);
  if (arrived === undefined) return undefined;
  const command = may(account, 'tenants:change') ? allowOriginCommand(rp, arrived) : undefined;
  return { arrived, allowed: rp.origins, command };
}
