import { Injectable } from '@nestjs/common';
import { AuditReader } from '../../audit/audit-reader.js';
import { Clock } from '../../common/clock.js';
import type { FoundUser } from '../../credentials/user-rows.js';
import { EventLog, behind } from '../../ledger/event-log.js';
import { fingerprintOf } from '../../ledger/ledger.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { eventCursorOf, eventPositionOf } from '../events/event-cursor.js';
import { administeredBy, entriesOf } from './timeline.view.js';
import type { Entry } from './timeline.view.js';

const ENTRIES = 40;
/** Events carry the clock of their instance, which may be ahead of ours. */
const AHEAD_MS = 60_000;

/** A part of what happened, the newest first. */
interface Story {
  /** @param user of whom the keys' names are, where there is one of this name */
  entries(user: FoundUser | undefined): Entry[];
  /** Where older entries begin. */
  readonly older: string | undefined;
}

/** What happened to the keys of a name, and by whom. */
@Injectable()
export class PersonTimeline {
  constructor(
    private readonly log: EventLog,
    private readonly trail: AuditReader,
    private readonly clock: Clock,
  ) {}

  /** @param cursor where older events begin; the newest without it */
  async of(rp: RelyingParty, name: string, cursor: string | undefined): Promise<Story> {
    const before =
      cursor === undefined ? behind(this.clock.now() + AHEAD_MS) : eventPositionOf(cursor);
    const found = await this.log.ofUser(rp, name, { from: 0, before, limit: ENTRIES + 1 });
    const shown = found.slice(0, ENTRIES);
    const authors = await this.trail.authorsOf(administeredBy(shown));
    const older = found.length > ENTRIES ? shown.at(-1) : undefined;
    return {
      entries: (user) => entriesOf(shown, { deviceNames: deviceNames(user), authors }),
      older: older && eventCursorOf(older),
    };
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
