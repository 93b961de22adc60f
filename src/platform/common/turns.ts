/** A part that waits longer, as for a slow database, does not keep the next one from beginning. */
const LONGEST_MS = 250;

/** Resolves when the part that was asked for last is over, and its pause. */
let latest: Promise<void> = Promise.resolve();

/**
 * Does a part of a long read when its turn comes. In the whole process one part follows another, each after a
 * pause as long as the part before it took: however many lists are read at a time, half of the event loop is
 * left to others.
 */
export async function inTurn<T>(part: () => Promise<T>): Promise<T> {
  const former = latest;
  let end = (): void => undefined;
  latest = new Promise((resolve) => (end = resolve));
  await former;
  const began = performance.now();
  const limit = setTimeout(end, LONGEST_MS);
  try {
    return await part();
  } finally {
    clearTimeout(limit);
    setTimeout(end, Math.min(performance.now() - began, LONGEST_MS));
  }
}

/** The same items, each made when its turn comes. */
export async function* eachInTurn<T>(items: AsyncGenerator<T>): AsyncGenerator<T, void> {
  try {
    for (;;) {
      const item = await inTurn(() => items.next());
      if (item.done) return;
      yield item.value;
    }
  } finally {
    await items.return(undefined);
  }
}
