import { setTimeout as pause } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { quantizeDuration } from './quantize-duration.js';

describe('quantizeDuration', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  /** Milliseconds until the result of the work is returned. */
  async function timeOf(work: () => Promise<unknown>): Promise<number> {
    const began = Date.now();
    let end: number | undefined;
    const ended = () => (end = Date.now());
    void quantizeDuration(work).then(ended, ended);
    while (end === undefined) await jest.advanceTimersByTimeAsync(1);
    return end - began;
  }
  const after = (ms: number) => () => new Promise((resolve) => setTimeout(resolve, ms));

  it.each([
    [0, 10],
    [9, 10],
    [11, 20],
    [25, 30],
  ])(
    'hides that work of %i ms ended before %i ms, whether it succeeds or fails',
    async (ms, at) => {
      expect(await timeOf(after(ms))).toBe(at);
      expect(await timeOf(() => after(ms)().then(() => Promise.reject(new Error('no'))))).toBe(at);
      expect(jest.getTimerCount()).toBe(0);
    },
  );

  it('returns the result or the error of the hidden work', async () => {
    jest.useRealTimers();
    expect(await quantizeDuration(() => pause(1, 'good'))).toBe('good');
    await expect(quantizeDuration(() => Promise.reject(new Error('bad')))).rejects.toThrow('bad');
  });
});
