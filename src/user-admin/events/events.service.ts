import { Injectable } from '@nestjs/common';
import { EarlierNames } from '../../users/earlier-names/earlier-names.js';
import { UsersByName } from '../../users/users-by-name.js';
import { Clock } from '../../platform/common/clock.js';
import { ok } from '../../platform/http/ok.js';
import {
  EventLog,
  positionAtEndOf,
  type EventPosition,
  type NameInTime,
  type RecordedEvent,
} from '../../events/event-log.js';
import { REFUSALS, eventJson } from '../../events/event.answer.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { normalizeName } from '../../platform/validation/values/names.js';
import { mapKey } from '../../platform/database/row-ids.js';
import { eventCursorOf } from '../list-cursors.js';
import type { EventsQuery } from './events.dto.js';

const EVENTS_PER_STATEMENT = 1000;
/** For an answer, if events of the wanted outcome are rare. */
const MAX_STATEMENTS = 5;

@Injectable()
export class EventsService {
  constructor(
    private readonly log: EventLog,
    private readonly users: UsersByName,
    private readonly earlier: EarlierNames,
    private readonly clock: Clock,
  ) {}

  /** Returns the events of a request that belong to these relying parties. */
  async ofRequest(rps: readonly RelyingParty[], requestId: string, { outcome }: EventsQuery) {
    const domains = domainsOf(rps);
    const events = (await this.log.ofRequest(requestId)).flatMap((event) => {
      const domain = domains.get(mapKey(event.relyingPartyId));
      return domain !== undefined && hasOutcome(event, outcome) ? [eventJson(event, domain)] : [];
    });
    return ok({ events, next: null });
  }

  /** Returns a page of events, newest first. It may be short if events of the wanted outcome are rare. */
  async page(rp: RelyingParty, query: EventsQuery) {
    const { user, from, outcome, limit } = query;
    const names = user === undefined ? undefined : await this.namesOf(rp, user);
    const found: RecordedEvent[] = [];
    let position: EventPosition | undefined =
      query.cursor ?? positionAtEndOf(query.to ?? this.clock.now());
    for (let slice = 0; position && slice < MAX_STATEMENTS && found.length <= limit; slice += 1) {
      const size = outcome === undefined ? limit + 1 - found.length : EVENTS_PER_STATEMENT;
      const span = { from, before: position, limit: size };
      const events: RecordedEvent[] =
        names === undefined
          ? await this.log.ofRelyingParty(rp, span)
          : await this.log.ofNames(names, span);
      found.push(...events.filter((event) => hasOutcome(event, outcome)));
      position = events.length < size ? undefined : events.at(-1);
    }
    const shown = found.slice(0, limit);
    const end = found.length > limit ? shown.at(-1) : position;
    return ok({
      events: shown.map((event) => eventJson(event, rp.domain)),
      next: end ? eventCursorOf(end) : null,
    });
  }

  /**
   * Returns all names that the user of this name has had, each with its period; only the name itself if no
   * user has it.
   */
  private async namesOf(rp: RelyingParty, name: string): Promise<NameInTime[]> {
    const [user] = await this.users.find(rp, [normalizeName(name)]);
    return user ? this.earlier.heldBy(user) : [{ relyingParty: rp, username: name, from: 0 }];
  }
}

const hasOutcome = ({ kind }: RecordedEvent, outcome: EventsQuery['outcome']): boolean =>
  outcome === undefined || (outcome === 'refused') === REFUSALS.has(kind);

export const domainsOf = (rps: readonly RelyingParty[]): ReadonlyMap<string, string> =>
  new Map(rps.map(({ id, domain }) => [mapKey(id), domain]));
