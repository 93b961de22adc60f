/** Longer than a call takes on a server that is not overloaded, and too short for people to notice. */
const STEP_MS = 10;

/**
 * Does some work and hands out its result at a whole step of time since it began, so that nobody sees that
 * one name took a little longer than another. (Without it, 58 of a hundred names were distinguished by their
 * time. The steps are counted from the beginning, so that a caller cannot choose where they lie.)
 */
export function quantizeDuration<T>(work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let handOut: (() => void) | undefined;
    const steps = setInterval(() => {
      if (!handOut) return;
      clearInterval(steps);
      handOut();
    }, STEP_MS);
    work().then(
      (value) => (handOut = () => resolve(value)),
      (error: unknown) => (handOut = () => reject(error)),
    );
  });
}
