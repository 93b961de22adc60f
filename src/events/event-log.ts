import { Injectable } from '@nestjs/common';
import type { ReadTurn } from '../platform/common/turns/read-turns.js';
import { Database } from '../platform/database/database.js';
import { scope, type ScopeOwner } from '../platform/database/scope.js';
import type { Parameters, Statement, StatementArguments } from '../platform/database/statement.js';
import { NO_ID } from '../platform/database/row-ids.js';
import { normalizeName } from '../platform/validation/values/names.js';
import {
  EVENT_PLACE,
  EVENTS_BY_REFUSAL,
  EVENTS_BY_REQUEST,
  EVENTS_BY_TIME,
  EVENTS_BY_USER,
  EVENTS_OF_IDS,
  type EventRow,
} from './event.statements.js';

export type RecordedEvent = Omit<EventRow, 'username' | 'credential'> & {
  /** Empty if no name was claimed. */
  readonly username: string;
  /** The first bytes of the credential's SHA-256; `undefined` if none was named. */
  readonly credential: Buffer | undefined;
};

/** A position in the ledger: just after the event with this time and ID, which was read last. */
export type EventPosition = Pick<RecordedEvent, 'at' | 'id'>;

/** The position from which reading backward begins with the newest event of a millisecond. */
export const positionAtEndOf = (at: number): EventPosition => ({ at, id: LAST_ID });

interface EventSpan {
  /** Milliseconds since 1970, inclusive. */
  readonly from: number;
  /** Only earlier events are read. */
  readonly before: EventPosition;
  readonly limit: number;
}

export interface NameInTime {
  readonly relyingParty: ScopeOwner;
  readonly username: string;
  readonly from: number;
  readonly until?: number;
  /** The IDs of the user in events; absent if no user has the name. */
  readonly userIds?: readonly Buffer[];
}

const newestFirst = (a: RecordedEvent, b: RecordedEvent): number =>
  b.at - a.at || Buffer.compare(b.id, a.id);

const MAX_OF_REQUEST = 1000;
/** Events that are scanned for refusals: a few milliseconds on SQLite. */
const SCANNED_PER_STATEMENT = 2_000;
const LAST_ID = Buffer.alloc(16, 0xff);

/** Reads the ledger, newest events first. Every query reads a range of an index. */
@Injectable()
export class EventLog {
  constructor(private readonly database: Database) {}

  ofRelyingParty(rp: ScopeOwner, span: EventSpan): Promise<RecordedEvent[]> {
    return this.read(EVENTS_BY_TIME[this.database.kind], { ...scope(rp), ...older(span) });
  }

  /** Finds refused ceremonies of a relying party: scans all events of the span, slice by slice. */
  async refusalsOf(rp: ScopeOwner, span: EventSpan, turn: ReadTurn): Promise<RecordedEvent[]> {
    const found: RecordedEvent[] = [];
    let before: EventPosition | undefined = span.before;
    while (before && found.length < span.limit) {
      const rest: EventSpan = { ...span, before, limit: span.limit - found.length };
      const slice = await turn(() => this.refusalsInSlice(rp, rest));
      found.push(...slice.refusals);
      before = slice.last;
    }
    return found;
  }

  /** @returns the refusals among the next events, and the position of the last of these if there are more */
  private async refusalsInSlice(rp: ScopeOwner, span: EventSpan) {
    const { kind } = this.database;
    const upTo = {
      ...older({ ...span, limit: 1 }),
      relyingPartyId: rp.id,
      skip: SCANNED_PER_STATEMENT - 1,
    };
    const [last] = await this.database.query(EVENT_PLACE[kind], upTo);
    const { at: from, id: fromId } = last ?? { at: span.from, id: NO_ID };
    const slice = { ...scope(rp), ...older(span), from, fromId };
    return { refusals: await this.read(EVENTS_BY_REFUSAL[kind], slice), last };
  }

  ofUser(rp: ScopeOwner, username: string, span: EventSpan): Promise<RecordedEvent[]> {
    const params = { ...scope(rp), username: bytesOf(username), ...older(span) };
    return this.read(EVENTS_BY_USER[this.database.kind], params);
  }

  /** As `ofUser`, without the events of other users under the name, but with attempts without a known user. */
  private ofIds(
    { relyingParty, username }: NameInTime,
    ids: readonly Buffer[],
    span: EventSpan,
  ): Promise<RecordedEvent[]> {
    const named = { username: bytesOf(username), userIds: [NO_ID, ...ids] };
    const params = { ...scope(relyingParty), ...named, ...older(span) };
    return this.read(EVENTS_OF_IDS[this.database.kind], params);
  }

  /**
   * Reads the events of several names, each at its relying party and in its period, merged as if `ofUser` read
   * them all.
   *
   * @param names `from` and `until` in milliseconds since 1970, both inclusive
   */
  async ofNames(names: readonly NameInTime[], span: EventSpan): Promise<RecordedEvent[]> {
    const found = await Promise.all(
      names.map((name) => {
        const { relyingParty, username, from, until = Infinity, userIds } = name;
        const own = {
          limit: span.limit,
          from: Math.max(from, span.from),
          before: until < span.before.at ? positionAtEndOf(until) : span.before,
        };
        return userIds ? this.ofIds(name, userIds, own) : this.ofUser(relyingParty, username, own);
      }),
    );
    return found.flat().sort(newestFirst).slice(0, span.limit);
  }

  /** Reads the events of a request, at any relying party; the caller excludes those that may not be seen. */
  ofRequest(requestId: string): Promise<RecordedEvent[]> {
    return this.read(EVENTS_BY_REQUEST, { requestId, limit: MAX_OF_REQUEST });
  }

  private async read<Params extends Parameters<Params>>(
    statement: Statement<Params, EventRow>,
    ...params: StatementArguments<Params>
  ): Promise<RecordedEvent[]> {
    return (await this.database.query(statement, ...params)).map(toRecordedEvent);
  }
}

const bytesOf = (username: string): Buffer => Buffer.from(normalizeName(username), 'utf8');

const older = ({ from, before: { at, id }, limit }: EventSpan) => ({ from, at, id, limit });

export const toRecordedEvent = ({ username, credential, ...row }: EventRow): RecordedEvent => ({
  ...row,
  username: username.toString('utf8'),
  credential: credential.every((byte) => byte === 0) ? undefined : credential,
});
