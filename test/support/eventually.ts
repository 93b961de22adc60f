const PAUSE_MS = 25;
/** Far more than anything takes: a busy machine is slow too, and only a test that fails waits as long. */
const LIMIT_MS = 120_000;

/** Repeats a check until it no longer throws. After the time limit, throws its last error. */
export async function eventually<T>(check: () => T | Promise<T>, withinMs = LIMIT_MS): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() >= deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}
