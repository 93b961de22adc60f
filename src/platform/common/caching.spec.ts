import { CachedValue, OverlappingReads } from './caching.js';

describe('CachedValue', () => {
  it('computes a value once for simultaneous callers', async () => {
    let computed = 0;
    const cached = new CachedValue(async () => (computed += 1));
    expect(await Promise.all([cached.read(), cached.read()])).toEqual([1, 1]);
  });

  it('returns the old value while the computation of a new one takes long', async () => {
    const answers = [Promise.resolve('old')];
    const cached = new CachedValue(() => answers.shift() ?? Promise.reject(new Error('none')));
    expect(await cached.read()).toBe('old');
    let arrive: (value: string) => void = () => undefined;
    answers.push(new Promise((resolve) => (arrive = resolve)));
    expect(await eventually(cached, 'old', () => answers.length === 0)).toBe('old');
    arrive('new');
    expect(await cached.read()).toBe('new');
  });

  it('returns the old value if the computation of a new one fails', async () => {
    let fails = false;
    const cached = new CachedValue(async () => {
      if (fails) throw new Error('the database is away');
      return 'old';
    });
    await cached.read();
    fails = true;
    expect(await cached.read()).toBe('old');
  });

  it('throws the error of a computation if there is no old value', async () => {
    const cached = new CachedValue(() => Promise.reject(new Error('away')));
    await expect(cached.read()).rejects.toThrow('away');
  });
});

/** Reads until the value is requested again: a value that was quick to get is cached for less than a moment. */
async function eventually<T>(cached: CachedValue<T>, value: T, isRequested: () => boolean) {
  let read = value;
  while (!isRequested()) read = await cached.read();
  return read;
}

describe('OverlappingReads', () => {
  it('keeps the results of reads that end in the order in which they began', () => {
    const reads = new OverlappingReads();
    const first = reads.begin();
    const second = reads.begin();
    expect([first(), second()]).toEqual([true, true]);
  });

  it('discards the result of a read if a later one is already kept', () => {
    const reads = new OverlappingReads();
    const first = reads.begin();
    const second = reads.begin();
    const third = reads.begin();
    expect([second(), first(), third()]).toEqual([true, false, true]);
  });

  it('keeps the result of a read if a later one did not end', () => {
    const reads = new OverlappingReads();
    const first = reads.begin();
    reads.begin();
    expect(first()).toBe(true);
  });
});
