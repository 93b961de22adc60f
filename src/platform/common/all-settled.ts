/**
 * Waits for all of them, and only then throws the first error: nothing goes on in the background after a
 * request was answered.
 */
export async function allSettled<T>(work: Iterable<Promise<T>>): Promise<T[]> {
  const results = await Promise.allSettled(work);
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}
