import { AuditReader } from '../../audit/audit-reader.js';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import type { FoundUser } from '../../credentials/user-rows.js';
import { EventLog, behind } from '../../ledger/event-log.js';
import { fingerprintOf } from '../../ledger/ledger.js';
import type { Account } from '../../security/account.js';
import { Invitations } from '../../invitations/invitations.service.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { eventCursorOf, eventPositionOf } from '../events/event-cursor.js';
import { invitationEntry } from './invitation.view.js';
import { KeyCards } from './key-cards.js';
import { administeredBy, entriesOf } from './timeline.view.js';
import { UserActions } from './user-actions.js';
import { userPage } from './user.view.js';
import type { UserView } from './user.view.js';

const ENTRIES = 40;
const INVITATIONS = 5;
/** Events carry the clock of their instance, which may be ahead of ours. */
const AHEAD_MS = 60_000;

interface Asked {
  readonly account: Account;
  /** In NFC. */
  readonly name: string;
  /** Where older events begin; the newest are shown without. */
  readonly cursor: string | undefined;
}

/** Gathers what the page of a person shows. */
@Injectable()
export class PersonReader {
  constructor(
    private readonly actions: UserActions,
    private readonly cards: KeyCards,
    private readonly log: EventLog,
    private readonly invitations: Invitations,
    private readonly trail: AuditReader,
    private readonly clock: Clock,
  ) {}

  async page(rp: RelyingParty, { account, name, cursor }: Asked): Promise<UserView> {
    const before =
      cursor === undefined ? behind(this.clock.now() + AHEAD_MS) : eventPositionOf(cursor);
    const now = this.clock.now();
    const [[user], found, invited] = await Promise.all([
      this.actions.find(rp, [name]),
      this.log.ofUser(rp, name, { from: 0, before, limit: ENTRIES + 1 }),
      this.invitations.list(rp, name),
    ]);
    const shown = found.slice(0, ENTRIES);
    const authors = await this.trail.authorsOf(administeredBy(shown));
    const older = found.length > ENTRIES ? shown.at(-1) : undefined;
    return userPage({
      ...{ name, account, user, cursor },
      domain: rp.domain,
      cards: user ? await this.cards.ofUser(user) : [],
      invitations: invited.slice(0, INVITATIONS).map((one) => invitationEntry(one, now)),
      entries: entriesOf(shown, { deviceNames: deviceNames(user), authors }),
      older: older && eventCursorOf(older),
    });
  }
}

/** Of the keys that there are still, by the fingerprint that events have of them. */
const deviceNames = (user: FoundUser | undefined): ReadonlyMap<string, string> =>
  new Map(
    user?.credentials.map(({ credentialHash, deviceName }) => [
      fingerprintOf(credentialHash).toString('hex'),
      deviceName,
    ]),
  );
