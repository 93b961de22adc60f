import { Injectable } from '@nestjs/common';
import { CATALOGUE } from '../../errors/catalogue.js';
import type { Code } from '../../errors/catalogue.js';
import { ok } from '../../http/ok.js';
import { EventLog } from '../../ledger/event-log.js';
import type { EventPosition, RecordedEvent } from '../../ledger/event-log.js';
import type { EventKind } from '../../ledger/event.entity.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { eventCursorOf } from './event-cursor.js';
import type { EventsQuery } from './events.query.js';

/** Events of one look, and looks of one answer where those asked for are rare. */
const SLICE = 1000;
const SLICES = 5;

/** What each kind means, for those who read no code. */
const SENTENCES: Readonly<Record<EventKind, string>> = {
  registration: 'A credential was registered.',
  authentication: 'The user signed in.',
  'clone-alarm': 'The signature counter did not increase: the authenticator may have been cloned.',
  enabled: 'A credential was enabled.',
  disabled: 'A credential was disabled.',
  deleted: 'A credential was deleted.',
  'user-created': 'The user was created.',
  'user-deleted': 'The user was deleted.',
  'registration-refused': 'A registration was refused.',
  'authentication-refused': 'A sign-in was refused.',
  policy: 'A rule that only reports would have refused this.',
};

const REFUSALS = new Set<EventKind>([
  'registration-refused',
  'authentication-refused',
  'clone-alarm',
]);

/** Explains what happened, from the ledger. */
@Injectable()
export class EventsService {
  constructor(private readonly log: EventLog) {}

  /** What one request caused, as far as it concerns these relying parties. */
  async ofRequest(rps: readonly RelyingParty[], requestId: string, { outcome }: EventsQuery) {
    const domains = new Map(rps.map(({ id, domain }) => [id.toString('hex'), domain]));
    const events = (await this.log.ofRequest(requestId)).flatMap((event) => {
      const domain = domains.get(event.relyingPartyId.toString('hex'));
      return domain !== undefined && hasOutcome(event, outcome) ? [eventJson(event, domain)] : [];
    });
    return ok({ events, next: null });
  }

  /**
   * A page of events, the newest first. It may be short where those asked for are rare.
   *
   * @param before where reading begins, backwards in time
   */
  async page(
    rp: RelyingParty,
    { query, before }: { readonly query: EventsQuery; readonly before: EventPosition },
  ) {
    const { user, from, outcome, limit } = query;
    const found: RecordedEvent[] = [];
    let position: EventPosition | undefined = before;
    let last: RecordedEvent | undefined;
    for (let slice = 0; position && slice < SLICES && found.length <= limit; slice += 1) {
      const size = outcome === undefined ? limit + 1 - found.length : SLICE;
      const span = { from, before: position, limit: size };
      const events: RecordedEvent[] =
        user === undefined
          ? await this.log.ofRelyingParty(rp, span)
          : await this.log.ofUser(rp, user, span);
      found.push(...events.filter((event) => hasOutcome(event, outcome)));
      last = events.at(-1);
      position = events.length < size ? undefined : last;
    }
    const shown = found.slice(0, limit);
    const end = found.length > limit ? shown.at(-1) : position && last;
    return ok({
      events: shown.map((event) => eventJson(event, rp.domain)),
      next: end ? eventCursorOf(end) : null,
    });
  }
}

const hasOutcome = ({ kind }: RecordedEvent, outcome: EventsQuery['outcome']): boolean =>
  outcome === undefined || (outcome === 'refused') === REFUSALS.has(kind);

/** An event as callers see it; `explanation` says in words why something was refused. */
function eventJson(event: RecordedEvent, relyingParty: string) {
  const { at, username, credential, kind, code, detail, requestId } = event;
  const known = code !== null && Object.hasOwn(CATALOGUE, code) ? CATALOGUE[code as Code][1] : '';
  return {
    at: new Date(at).toISOString(),
    relyingParty,
    username,
    credential: credential?.toString('hex') ?? null,
    kind,
    outcome: REFUSALS.has(kind) ? 'refused' : 'ok',
    errorCode: code,
    detail,
    explanation: `${SENTENCES[kind]} ${known}`.trim(),
    requestId,
  };
}
