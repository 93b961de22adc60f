import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThan, Like, type Repository } from 'typeorm';
import { deleteStep, insertStep } from './commit/step-of.js';
import { falseIfTaken } from './commit/unique-violation.js';
import type { Reading, Step } from './commit/unit.js';
import { Database } from './database.js';
import { tableOf } from './entities/table.js';
import { select, sql, type RowOf } from './statement.js';
import { Secret } from './entities/server.entity.js';

const secrets = tableOf(Secret);
const SET = `UPDATE ${secrets.from} SET ${secrets.value} = :value WHERE ${secrets.name} = :name`;
const SET_RECORD = sql<Secret>(SET);
const REPLACE_RECORD = sql<Secret & { former: string }>(`${SET} AND ${secrets.value} = :former`);

const VALUE = select(secrets.pick('value'));
const OF_NAME = `${secrets.from} WHERE ${secrets.name} = :name`;
const READ_RECORD = VALUE.from<{ name: string }>(OF_NAME, { small: true });
const LOCK_RECORD = VALUE.from<{ name: string }>(`${OF_NAME} FOR UPDATE`);

/** The step that gives a record another value, whatever its value was. */
export const setRecord = (name: string, value: string): Step => SET_RECORD.step({ name, value });

/** The step that gives a record another value; its unit is not stored if the record has changed. */
export const replaceRecord = (name: string, former: string, value: string): Step =>
  REPLACE_RECORD.mustChange({ name, former, value });

const REMOVE_RECORD = sql<{ name: string }>(
  `DELETE FROM ${secrets.from} WHERE ${secrets.name} = :name`,
);

export const removeRecord = (name: string): Step => REMOVE_RECORD.step({ name });

/** Texts by name that all instances share, stored unsealed; secrets belong in `SecretStore`. */
@Injectable()
export class SharedRecords {
  constructor(
    @InjectRepository(Secret) private readonly records: Repository<Secret>,
    private readonly database: Database,
  ) {}

  all(): Promise<readonly Secret[]> {
    return this.records.find();
  }

  async find(name: string): Promise<string | undefined> {
    const [found] = await this.database.query(READ_RECORD, { name });
    return found?.value;
  }

  /** The record of this name; the first instance that needs it creates it. */
  async findOrCreate(name: string, make: () => string): Promise<string> {
    const found = await this.find(name);
    if (found !== undefined) return found;
    const value = make();
    try {
      await this.database.store([insertStep(this.records, { name, value })]);
      return value;
    } catch (error) {
      // Another instance was faster: its record counts.
      const theirs = await this.find(name);
      if (theirs === undefined) throw error;
      return theirs;
    }
  }

  /**
   * @param furtherSteps further steps of the same unit
   * @returns `false` if there is a record of this name; nothing is stored then
   */
  create(name: string, value: string, furtherSteps: readonly Step[] = []): Promise<boolean> {
    const record = insertStep(this.records, { name, value });
    return falseIfTaken(this.database.commit([record, ...furtherSteps]));
  }

  async remove(name: string): Promise<void> {
    await this.database.store([removeRecord(name)]);
  }

  /** Number of records whose names begin with `prefix`. */
  count(prefix: string): Promise<number> {
    return this.records.countBy({ name: Like(`${prefix}%`) });
  }

  /** Removes the records whose names begin with `prefix` and whose values sort before `value`. */
  async removeBefore(prefix: string, value: string): Promise<void> {
    const found = { name: Like(`${prefix}%`), value: LessThan(value) };
    await this.database.store([deleteStep(this.records, found)]);
  }

  /** Reads a record and locks it until the transaction ends; SQLite needs no lock, since it has one transaction. */
  lock(name: string): Reading<RowOf<typeof READ_RECORD>> {
    return (this.database.kind === 'mysql' ? LOCK_RECORD : READ_RECORD).reading({ name });
  }

  /** @returns `false`, and changes nothing, if the record has changed in the meantime */
  replace(name: string, from: string, to: string): Promise<boolean> {
    return this.database.commit([replaceRecord(name, from, to)]);
  }
}

export const BACKUP_RECORD = 'last-backup';

/** For the backup command, which copies databases of any version and therefore runs without the application. */
export const NOTE_BACKUP = sql<{ value: string }>(`INSERT INTO ${secrets.from}
  (${secrets.list('name', 'value')}) VALUES ('${BACKUP_RECORD}', :value)
  ON CONFLICT (${secrets.name}) DO UPDATE SET ${secrets.value} = excluded.${secrets.value}`);

/** When `./servicefido backup` last made a copy, in milliseconds since 1970; `undefined` for never. */
export async function lastBackup(records: SharedRecords): Promise<number | undefined> {
  const text = await records.find(BACKUP_RECORD);
  return text === undefined ? undefined : Number(text);
}
