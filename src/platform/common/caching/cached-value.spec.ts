import { CachedValue } from './cached-value.js';

describe('CachedValue', () => {
  it('computes once for simultaneous callers', async () => {
    let asked = 0;
    const remembered = new CachedValue(async () => (asked += 1));
    expect(await Promise.all([remembered.read(), remembered.read()])).toEqual([1, 1]);
  });

  it('returns the old value while a new one takes long, then the new one', async () => {
    const answers = [Promise.resolve('old')];
    const remembered = new CachedValue(() => answers.shift() ?? Promise.reject(new Error('none')));
    expect(await remembered.read()).toBe('old');
    let arrive: (value: string) => void = () => undefined;
    answers.push(new Promise((resolve) => (arrive = resolve)));
    expect(await eventually(remembered, 'old', () => answers.length === 0)).toBe('old');
    arrive('new');
    expect(await remembered.read()).toBe('new');
  });

  it('returns the old value if the computation of a new one fails', async () => {
    let fails = false;
    const remembered = new CachedValue(async () => {
      if (fails) throw new Error('the database is away');
      return 'old';
    });
    await remembered.read();
    fails = true;
    expect(await remembered.read()).toBe('old');
  });

  it('throws the error if there is no old value', async () => {
    const remembered = new CachedValue(() => Promise.reject(new Error('away')));
    await expect(remembered.read()).rejects.toThrow('away');
  });
});

/** Reads until the value is requested again: a value that was quick to get is cached for less than a moment. */
async function eventually<T>(remembered: CachedValue<T>, value: T, asked: () => boolean) {
  let read = value;
  while (!asked()) read = await remembered.read();
  return read;
}
