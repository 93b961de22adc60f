import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import { scope } from '../platform/database/scope.js';
import { mapKey } from '../platform/database/row-ids.js';
import { dateOf } from '../billing/usage/calendar.js';
import { weekOf } from '../events/ceremony-counts/ceremony-count.entity.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { aaguidText } from '../webauthn/aaguid.js';
import { KEYS_BY_HASH, type AdoptionKeyRow } from './adoption.statements.js';

const KEYS_PER_STATEMENT = 500;
/**
 * The maximum number of counted keys. If there are more, these are a fair sample, since they are read in the
 * order of the hashes of their IDs.
 */
const MAX_KEYS = 50_000;

export class KeyCount {
  total = 0;
  first = 0;
  further = 0;
  synced = 0;
  bound = 0;

  add({ backupEligible, further }: Pick<AdoptionKeyRow, 'backupEligible' | 'further'>): void {
    this.total += 1;
    if (further) this.further += 1;
    else this.first += 1;
    if (backupEligible) this.synced += 1;
    else if (backupEligible !== null) this.bound += 1;
  }
}

export interface CountedKeys {
  readonly all: KeyCount;
  readonly models: ReadonlyMap<string, KeyCount>;
  /** Counts by the week of registration: the date of its Monday. */
  readonly weeks: ReadonlyMap<string, KeyCount>;
  /** `false`: there are more keys, and these are a sample of them. */
  readonly complete: boolean;
}

@Injectable()
export class KeyReader {
  private readonly underWay = new Map<string, Promise<CountedKeys>>();

  constructor(private readonly database: Database) {}

  /** Counts the keys, which takes seconds if there are many: simultaneous callers share a count. */
  count(rp: RelyingParty): Promise<CountedKeys> {
    const name = mapKey(rp.id);
    const count =
      this.underWay.get(name) ?? this.read(rp).finally(() => this.underWay.delete(name));
    this.underWay.set(name, count);
    return count;
  }

  private async read(rp: RelyingParty): Promise<CountedKeys> {
    const all = new KeyCount();
    const models = new Counts();
    const weeks = new Counts();
    let position: Buffer | undefined = Buffer.alloc(32);
    while (position && all.total < MAX_KEYS) {
      const next = { ...scope(rp), after: position, limit: KEYS_PER_STATEMENT };
      const rows: AdoptionKeyRow[] = await this.database.query(KEYS_BY_HASH, next);
      for (const row of rows) {
        all.add(row);
        models.at(aaguidText(row.aaguid)).add(row);
        weeks.at(dateOf(weekOf(row.registeredAt))).add(row);
      }
      position = rows.length < KEYS_PER_STATEMENT ? undefined : rows.at(-1)?.credentialHash;
      // SQLite answers synchronously: let other tasks run in between.
      await yieldToEventLoop();
    }
    return { all, models, weeks, complete: position === undefined };
  }
}

class Counts extends Map<string, KeyCount> {
  at(key: string): KeyCount {
    const known = this.get(key) ?? new KeyCount();
    this.set(key, known);
    return known;
  }
}
