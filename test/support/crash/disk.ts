import {
  closeSync,
  constants,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';

/** As scripts/lib/power-loss/journal.c writes them. */
const WRITE = 1;
const TRUNCATE = 2;
const SYNC = 3;
const HEAD_BYTES = 32;
/** What a disk writes as a whole or not at all. */
const SECTOR_BYTES = 512;

interface Operation {
  readonly offset: number;
  /** What was written there; absent: the file was cut to that length. */
  readonly bytes?: Buffer;
}

/** A file on the disk, and the writes that the operating system still holds back. */
class DiskFile {
  private readonly file: number;
  private pending: Operation[] = [];

  constructor(path: string) {
    this.file = openSync(path, constants.O_RDWR | constants.O_CREAT);
  }

  add(operation: Operation): void {
    this.pending.push(operation);
  }

  sync(): void {
    for (const operation of this.pending) this.apply(operation);
    this.pending = [];
  }

  /** A power loss: any sectors that were not synced may have reached the disk or not. */
  cutPower(): void {
    const sectors = this.pending.flatMap(sectorsOf);
    for (const sector of sectors) if (Math.random() < 0.5) this.apply(sector);
    this.close();
  }

  close(): void {
    closeSync(this.file);
  }

  private apply({ offset, bytes }: Operation): void {
    if (bytes) writeSync(this.file, bytes, 0, bytes.length, offset);
    else ftruncateSync(this.file, offset);
  }
}

function sectorsOf({ offset, bytes }: Operation): Operation[] {
  if (!bytes) return [{ offset }];
  return Array.from({ length: Math.ceil(bytes.length / SECTOR_BYTES) }, (_, n) => {
    const at = n * SECTOR_BYTES;
    return { offset: offset + at, bytes: bytes.subarray(at, at + SECTOR_BYTES) };
  });
}

/**
 * Reduces a SQLite database to the content of a disk after a power loss.
 *
 * @param database the file as it was before the program began; its WAL lies beside it
 * @param journal what the program wrote and synced since
 * @param honest whether the disk synced when it was told to; else nothing was written at all
 */
export function loseInPowerCut(database: string, journal: string, honest = true): void {
  const files = new Map([
    [1, new DiskFile(database)],
    [2, new DiskFile(`${database}-wal`)],
  ]);
  const records = readFileSync(journal);
  const field = (at: number, n: number) => Number(records.readBigInt64LE(at + n * 8));
  for (let at = 0; at + HEAD_BYTES <= records.length;) {
    const what = field(at, 0);
    const file = files.get(field(at, 1));
    const offset = field(at, 2);
    const start = at + HEAD_BYTES;
    at = what === WRITE ? start + field(at, 3) : start;
    if (at > records.length || !file) break;
    if (what === WRITE) file.add({ offset, bytes: records.subarray(start, at) });
    if (what === TRUNCATE) file.add({ offset });
    if (what === SYNC && honest) file.sync();
  }
  for (const file of files.values()) {
    if (honest) file.cutPower();
    else file.close();
  }
  // It exists only in memory, and is created again.
  rmSync(`${database}-shm`, { force: true });
}
