import { Injectable } from '@nestjs/common';
import { AuditReader } from '../../audit/audit-reader.js';
import { Clock } from '../../common/clock.js';
import { EarlierNames } from '../../credentials/earlier-names/earlier-names.js';
import type { HeldName, OnceCalled } from '../../credentials/earlier-names/earlier-names.js';
import type { FoundUser } from '../../credentials/user-rows.js';
import { EventLog, behind } from '../../ledger/event-log.js';
import type { NameInTime } from '../../ledger/event-log.js';
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
  /** @param users of whom the keys' names are, where there are some of this name */
  entries(users: readonly FoundUser[]): Entry[];
  /** Where older entries begin. */
  readonly older: string | undefined;
}

/** What happened to the keys of a person, by whatever name, and by whom. */
@Injectable()
export class PersonTimeline {
  constructor(
    private readonly log: EventLog,
    private readonly trail: AuditReader,
    private readonly earlier: EarlierNames,
    private readonly clock: Clock,
  ) {}

  /** What a person was called when, here and where the person comes from; a name of nobody by itself. */
  async namesOf(
    rp: RelyingParty,
    { users, called }: { users: readonly FoundUser[]; called: string },
  ): Promise<HeldName[]> {
    const held = (await Promise.all(users.map((user) => this.earlier.heldBy(user)))).flat();
    const isHere = users.some(({ relyingParty }) => relyingParty.id.equals(rp.id));
    return isHere ? held : [{ relyingParty: rp, username: called, from: 0 }, ...held];
  }

  /** Who had the name before. */
  async onceCalled(rp: RelyingParty, name: string): Promise<OnceCalled[]> {
    const found = await this.earlier.onceCalled(rp, name);
    return found.filter(({ username }) => username !== name);
  }

  /** @param cursor where older events begin; the newest without it */
  async of(names: readonly NameInTime[], cursor: string | undefined): Promise<Story> {
    const before =
      cursor === undefined ? behind(this.clock.now() + AHEAD_MS) : eventPositionOf(cursor);
    const found = await this.log.ofNames(names, { from: 0, before, limit: ENTRIES + 1 });
    const shown = found.slice(0, ENTRIES);
    const authors = await this.trail.authorsOf(administeredBy(shown));
    const older = found.length > ENTRIES ? shown.at(-1) : undefined;
    return {
      entries: (users) => entriesOf(shown, { deviceNames: deviceNames(users), authors }),
      older: older && eventCursorOf(older),
    };
  }
}

/** Of the keys that there are still, by the fingerprint that events have of them. */
const deviceNames = (users: readonly FoundUser[]): ReadonlyMap<string, string> =>
  new Map(
    users
      .flatMap(({ credentials }) => credentials)
      .map(({ credentialHash, deviceName }) => [
        fingerprintOf(credentialHash).toString('hex'),
        deviceName,
      ]),
  );
