/**
 * Waits for all promises, and only then throws the first error, so that no work continues in the background after a
 * request was answered.
 */
export async function allSettled<T>(work: Iterable<Promise<T>>): Promise<T[]> {
  const results = await Promise.allSettled(work);
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}
