import { ApiError } from '../../errors/api-error.js';
import { RoundRobin } from './round-robin.js';

export interface Reader {
  /** The account, application key or address: the long reads of one caller share its turns. */
  readonly caller: string;
  /** Whether the connection has closed, so that the rest is not needed. */
  readonly hasLeft: () => boolean;
}

/** Runs a part of a read: at once, or when its turn comes. */
export type ReadTurn = <T>(part: () => Promise<T>) => Promise<T>;

/** For reads that run as a whole within another turn, and for reads without a waiting caller. */
export const withoutTurns: ReadTurn = (part) => part();

/** Measures how long the parts of a read take, without the time that they wait for their turns. */
export class TimedTurns {
  tookMs = 0;

  constructor(private readonly turn: ReadTurn) {}

  readonly take: ReadTurn = (part) =>
    this.turn(async () => {
      const began = performance.now();
      try {
        return await part();
      } finally {
        this.tookMs += performance.now() - began;
      }
    });
}

/** A part that takes longer, for example because of a slow database, does not delay the start of the next one. */
const LONGEST_MS = 250;

/** Shorter parts share a pause: a timer takes at least a millisecond. */
const SLICE_MS = 5;
/** How long the parts since the last pause took. */
let sliceMs = 0;

const waiting = new RoundRobin<() => void>();
let isTaken = false;

/**
 * Runs a part of a long read when its turn comes. In the whole process one part follows another. After parts that took
 * `SLICE_MS` together there is a pause as long as they took: however many lists are read at a time, half of the event
 * loop is left to others. Others also run between two parts. Callers take turns, however many waiting parts each has.
 *
 * @throws ApiError E0040R if the reader has disconnected in the meantime; the part does not run then
 */
export async function takeTurn<T>(reader: Reader, part: () => Promise<T>): Promise<T> {
  if (isTaken) await new Promise<void>((start) => waiting.add(reader.caller, start));
  isTaken = true;
  if (reader.hasLeft()) {
    passOn();
    throw ApiError.tooMany(1);
  }
  const began = performance.now();
  let end = (): void => undefined;
  void new Promise<void>((resolve) => (end = resolve)).then(passOn);
  const limit = setTimeout(end, LONGEST_MS);
  try {
    return await part();
  } finally {
    clearTimeout(limit);
    endAfterPause(end, performance.now() - began);
  }
}

function endAfterPause(end: () => void, tookMs: number): void {
  sliceMs += tookMs;
  if (sliceMs < SLICE_MS) {
    setImmediate(end);
    return;
  }
  setTimeout(end, Math.min(sliceMs, LONGEST_MS));
  sliceMs = 0;
}

function passOn(): void {
  const start = waiting.take();
  if (start) start();
  else isTaken = false;
}

export const readTurnOf =
  (reader: Reader): ReadTurn =>
  (part) =>
    takeTurn(reader, part);

/** The same items, each produced when its turn comes. */
export async function* eachInTurn<T>(
  reader: Reader,
  items: AsyncGenerator<T>,
): AsyncGenerator<T, void> {
  try {
    for (;;) {
      const item = await takeTurn(reader, () => items.next());
      if (item.done) return;
      yield item.value;
    }
  } finally {
    await items.return(undefined);
  }
}
