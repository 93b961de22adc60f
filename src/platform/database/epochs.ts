import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Step } from './commit/unit.js';
import { SharedRecords, replaceRecord } from './shared-records.js';

const NAME = 'epochs';
const NONE = '[]';
const TAGS = 2 ** 24;
/** Cursors reserve one byte for it. */
const MAX = 255;

/** The time since a backup was restored. */
export interface Epoch {
  /** 1 after the first restore, then 2, 3 and so on; 0 before it. */
  readonly number: number;
  /** Random, below 2^24, so that two restores of one backup differ. */
  readonly tag: number;
  /** The last event number in the backup: later numbers mean other events than before the restore. */
  readonly fork: number;
}

/** The time before the first restore. */
export const ORIGIN: Epoch = { number: 0, tag: 0, fork: 0 };

/** The restores of this database, in a record that all instances share. */
@Injectable()
export class Epochs {
  constructor(private readonly records: SharedRecords) {}

  /** `ORIGIN` and an epoch for each restore, oldest first. Reads the database at each call, to be up to date. */
  async all(): Promise<readonly Epoch[]> {
    return [ORIGIN, ...parsed(await this.records.find(NAME))];
  }

  /**
   * The step that begins the next epoch; its unit is not stored if another process began one.
   *
   * @param fork the last number of an event
   * @throws Error after 255 restores
   */
  async raise(fork: number): Promise<{ readonly epoch: Epoch; readonly step: Step }> {
    const text = await this.records.findOrCreate(NAME, () => NONE);
    const epochs = parsed(text);
    if (epochs.length === MAX) throw new Error(`A database has at most ${MAX} epochs.`);
    const epoch = { number: epochs.length + 1, tag: randomInt(TAGS), fork };
    return { epoch, step: replaceRecord(NAME, text, JSON.stringify([...epochs, epoch])) };
  }
}

const parsed = (text = NONE): readonly Epoch[] => JSON.parse(text) as Epoch[];
