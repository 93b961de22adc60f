import { Injectable } from '@nestjs/common';
import { AccountActivity } from '../../../audit/account-activity.js';
import { Clock } from '../../../platform/common/clock.js';
import {
  EarlierNames,
  type HeldName,
  type FormerNameOwner,
} from '../../../users/earlier-names/earlier-names.js';
import { withLabels } from '../../../users/credentials/key-label.js';
import type { FoundUser } from '../../../users/user-rows.js';
import type { Text } from '../../../platform/pages/languages/phrase.js';
import { mapKey } from '../../../platform/database/row-ids.js';
import { EventLog, positionAtEndOf, type NameInTime } from '../../../events/event-log.js';
import { fingerprintOf } from '../../../events/ledger.js';
import type { RelyingParty } from '../../../tenancy/relying-party.js';
import { AuthenticatorModels } from '../../../trust/authenticator-models.js';
import { eventCursorOf, eventPositionOf } from '../../list-cursors.js';
import { administeredBy, timelineEntries, type TimelineEntry } from './timeline.view.js';

const ENTRIES = 40;
/** Events are stamped by the clock of their instance, which may be ahead of this one. */
const AHEAD_MS = 60_000;

/** The events of a user's keys, under all names that the user has had, with their authors. */
@Injectable()
export class UserTimeline {
  constructor(
    private readonly log: EventLog,
    private readonly activity: AccountActivity,
    private readonly earlier: EarlierNames,
    private readonly models: AuthenticatorModels,
    private readonly clock: Clock,
  ) {}

  /**
   * A user's names, each with its period, here and at the predecessor; if no user here has the name
   * `called`, that name comes first.
   */
  async namesOf(
    rp: RelyingParty,
    users: readonly FoundUser[],
    called: string,
  ): Promise<HeldName[]> {
    const names = (await Promise.all(users.map((user) => this.earlier.heldBy(user)))).flat();
    const isHere = users.some(({ relyingParty }) => relyingParty.id.equals(rp.id));
    return isHere ? names : [{ relyingParty: rp, username: called, from: 0 }, ...names];
  }

  /** Users who had this name before and have another one now. */
  async formerOwners(rp: RelyingParty, name: string): Promise<FormerNameOwner[]> {
    const found = await this.earlier.formerOwners(rp, name);
    return found.filter(({ username }) => username !== name);
  }

  /**
   * A part of the events under these names, newest first.
   *
   * @param users the users whose keys the entries name
   * @param cursor where the part begins; the newest event if absent
   * @returns `older`: the cursor at which older entries begin
   */
  async of(
    names: readonly NameInTime[],
    users: readonly FoundUser[],
    cursor: string | undefined,
  ): Promise<{ entries: TimelineEntry[]; older: string | undefined }> {
    const before =
      cursor === undefined ? positionAtEndOf(this.clock.now() + AHEAD_MS) : eventPositionOf(cursor);
    const found = await this.log.ofNames(names, { from: 0, before, limit: ENTRIES + 1 });
    const shown = found.slice(0, ENTRIES);
    const authors = await this.activity.authorsOf(administeredBy(shown));
    const last = found.length > ENTRIES ? shown.at(-1) : undefined;
    return {
      entries: timelineEntries(shown, this.labelsOf(users), authors),
      older: last && eventCursorOf(last),
    };
  }

  /** Labels of the keys that still exist, by their fingerprint (`mapKey`) in events. */
  private labelsOf(users: readonly FoundUser[]): ReadonlyMap<string, Text> {
    const keys = users.flatMap(({ credentials }) => withLabels(credentials, this.models));
    return new Map(
      keys.map(({ credentialHash, label }) => [mapKey(fingerprintOf(credentialHash)), label]),
    );
  }
}
