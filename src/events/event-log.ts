import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import type { Query } from '../platform/database/database.js';
import { scopeParams } from '../platform/database/scope.js';
import type { ScopeOwner } from '../platform/database/scope.js';
import { normalizeName } from '../platform/validation/values/names.js';
import type { EventKind } from './event.entity.js';
import {
  EVENTS_BY_REFUSAL,
  EVENTS_BY_REQUEST,
  EVENTS_BY_TIME,
  EVENTS_BY_USER,
} from './event.statements.js';

/** An event as it was recorded. */
export interface RecordedEvent {
  readonly id: Buffer;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly relyingPartyId: Buffer;
  /** Empty where no name was claimed. */
  readonly username: string;
  /** First bytes of the credential's SHA-256; `undefined` where none was named. */
  readonly credential: Buffer | undefined;
  readonly kind: EventKind;
  readonly code: string | null;
  readonly detail: string | null;
  readonly requestId: string | null;
  /** Address that a ceremony came from, where the server is set to keep it. */
  readonly address: string | null;
  readonly browser: string | null;
}

/** A place in the ledger: just behind the event with this time and ID, which was read last. */
export type EventPosition = Pick<RecordedEvent, 'at' | 'id'>;

/** The place from which reading backwards begins with the newest event of a millisecond. */
export const behind = (at: number): EventPosition => ({ at, id: LAST_ID });

interface EventSpan {
  /** Milliseconds since 1970, included. */
  readonly from: number;
  /** Only events older than this are read. */
  readonly before: EventPosition;
  readonly limit: number;
}

/** A name and the time during which somebody had it. */
export interface NameInTime {
  readonly relyingParty: ScopeOwner;
  readonly username: string;
  readonly from: number;
  readonly until?: number;
}

const newestFirst = (a: RecordedEvent, b: RecordedEvent): number =>
  b.at - a.at || Buffer.compare(b.id, a.id);

/** A row as the database holds it. */
export type EventRow = Omit<RecordedEvent, 'username' | 'credential'> & {
  readonly username: Buffer;
  readonly credential: Buffer;
};

const MAX_OF_REQUEST = 1000;
const LAST_ID = Buffer.alloc(16, 0xff);

/** Reads the ledger, newest events first. Every query reads a range of an index. */
@Injectable()
export class EventLog {
  private readonly byTime: Query<EventRow>;
  private readonly byRefusal: Query<EventRow>;
  private readonly byUser: Query<EventRow>;
  private readonly byRequest: Query<EventRow>;

  constructor(database: Database) {
    this.byTime = database.query(EVENTS_BY_TIME);
    this.byRefusal = database.query(EVENTS_BY_REFUSAL);
    this.byUser = database.query(EVENTS_BY_USER);
    this.byRequest = database.query(EVENTS_BY_REQUEST);
  }

  /** Events of a relying party, of all kinds. */
  async ofRelyingParty(rp: ScopeOwner, span: EventSpan): Promise<RecordedEvent[]> {
    return (await this.byTime.all(...scopeParams(rp), ...paramsOf(span))).map(recorded);
  }

  /** Ceremonies of a relying party that were refused; all events of the span are read for this. */
  async refusalsOf(rp: ScopeOwner, span: EventSpan): Promise<RecordedEvent[]> {
    return (await this.byRefusal.all(...scopeParams(rp), ...paramsOf(span))).map(recorded);
  }

  /** Events of a name, whether a user has it or not. */
  async ofUser(rp: ScopeOwner, username: string, span: EventSpan): Promise<RecordedEvent[]> {
    const name = Buffer.from(normalizeName(username), 'utf8');
    return (await this.byUser.all(...scopeParams(rp), name, ...paramsOf(span))).map(recorded);
  }

  /**
   * Events of several names, each at its relying party and in its time, merged as if `ofUser` read them all.
   *
   * @param names `from` and `until` in milliseconds since 1970, both included
   */
  async ofNames(names: readonly NameInTime[], span: EventSpan): Promise<RecordedEvent[]> {
    const found = await Promise.all(
      names.map(({ relyingParty, username, from, until = Infinity }) =>
        this.ofUser(relyingParty, username, {
          limit: span.limit,
          from: Math.max(from, span.from),
          before: until < span.before.at ? behind(until) : span.before,
        }),
      ),
    );
    return found.flat().sort(newestFirst).slice(0, span.limit);
  }

  /** Events that a request caused, at any relying party; the caller leaves out those that may not be seen. */
  async ofRequest(requestId: string): Promise<RecordedEvent[]> {
    return (await this.byRequest.all(requestId, MAX_OF_REQUEST)).map(recorded);
  }
}

const paramsOf = ({ from, before: { at, id }, limit }: EventSpan) =>
  [from, at, at, id, limit] as const;

export const recorded = ({ username, credential, ...row }: EventRow): RecordedEvent => ({
  ...row,
  username: username.toString('utf8'),
  credential: credential.every((byte) => byte === 0) ? undefined : credential,
});
