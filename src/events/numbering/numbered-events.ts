import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { scope, type ScopeOwner } from '../../platform/database/scope.js';
import { mapKey } from '../../platform/database/row-ids.js';
import { toRecordedEvent, type RecordedEvent } from '../event-log.js';
import { EVENTS_BY_IDS } from '../event.statements.js';
import { NumberingStore, splitIds } from './numbering-store.js';
import {
  NUMBERS_OF_ALL,
  NUMBERS_OF_RELYING_PARTY,
  NUMBERS_OF_TENANT,
  type NumbersRow,
} from './numbering.statements.js';

export interface NumberedEvent extends RecordedEvent {
  readonly number: number;
}

interface NumberedPage {
  /** In the order of their numbers. */
  readonly events: readonly NumberedEvent[];
  /** The number up to which all events of these relying parties have been read. */
  readonly last: number;
  readonly more: boolean;
}

/** A range of event numbers: after `after`, up to `upto`. */
interface NumberRange {
  readonly after: number;
  /** The result of `last` before the relying parties were read. */
  readonly upto: number;
  /** At most 1000. */
  readonly limit: number;
}

interface EventNumber {
  readonly id: Buffer;
  readonly number: number;
}

/**
 * Rows per query, and the maximum number of queries for one page, if the requested relying parties have few
 * events.
 */
const LOOK = 100;
const LOOKS = 20;

/** Reads the ledger forward, in the order of the events' numbers. */
@Injectable()
export class NumberedEvents {
  constructor(
    private readonly database: Database,
    private readonly numbering: NumberingStore,
  ) {}

  /** The last assigned number; 0 before the first. */
  async last(): Promise<number> {
    return (await this.numbering.progress())?.last ?? 0;
  }

  /**
   * Reads events with numbers after a given one. A page may be short, even empty, while there are more.
   *
   * @param rps relying parties whose events are requested; read after `upto`, so that they include every relying
   *   party that has an event up to it
   */
  async after(rps: readonly ScopeOwner[], range: NumberRange): Promise<NumberedPage> {
    const { numbered, last, more } = await this.numbersIn(rps, range);
    return { events: await this.find(numbered), last, more };
  }

  private async numbersIn(rps: readonly ScopeOwner[], { after, upto, limit }: NumberRange) {
    const own = new Set(rps.map(({ id }) => mapKey(id)));
    const numbered: EventNumber[] = [];
    let last = after;
    for (let look = 0; own.size > 0 && look < LOOKS; look += 1) {
      const rows = await this.rows(rps, last);
      for (const row of rows) {
        if (row.last > upto) return { numbered, last: Math.max(after, upto), more: true };
        const isOwn = own.has(mapKey(row.relyingPartyId));
        if (isOwn) numbered.push(...eventsOf(row).filter(({ number }) => number > after));
        last = row.last;
        if (numbered.length >= limit) return cut(numbered, last, limit);
      }
      if (rows.length < LOOK) return { numbered, last: Math.max(last, upto), more: false };
    }
    if (own.size === 0) return { numbered, last: Math.max(last, upto), more: false };
    return { numbered, last, more: true };
  }

  private rows(rps: readonly ScopeOwner[], after: number): Promise<NumbersRow[]> {
    const [first, ...others] = rps;
    const next = { after, limit: LOOK };
    if (first && others.length === 0) {
      return this.database.query(NUMBERS_OF_RELYING_PARTY, { ...scope(first), ...next });
    }
    if (first && others.every(({ tenantId }) => tenantId.equals(first.tenantId))) {
      return this.database.query(NUMBERS_OF_TENANT, { tenantId: first.tenantId, ...next });
    }
    return this.database.query(NUMBERS_OF_ALL, next);
  }

  /** Finds events by their IDs; events that were deleted because of their age are omitted. */
  async find(numbered: readonly EventNumber[]): Promise<NumberedEvent[]> {
    if (numbered.length === 0) return [];
    const ids = numbered.map(({ id }) => id);
    const rows = await this.database.query(EVENTS_BY_IDS, { ids });
    const byId = new Map(rows.map((row) => [mapKey(row.id), row]));
    return numbered.flatMap(({ id, number }) => {
      const row = byId.get(mapKey(id));
      return row ? [{ ...toRecordedEvent(row), number }] : [];
    });
  }
}

function eventsOf({ last, ids }: NumbersRow): EventNumber[] {
  const all = splitIds(ids);
  return all.map((id, n) => ({ id, number: last - all.length + n + 1 }));
}

function cut(numbered: readonly EventNumber[], last: number, limit: number) {
  const page = numbered.slice(0, limit);
  const end = page.length < numbered.length ? (page.at(-1)?.number ?? last) : last;
  return { numbered: page, last: end, more: true };
}
