import { setTimeout as pause } from 'node:timers/promises';
import { eachInTurn, inTurn } from './turns.js';

const spin = (ms: number): void => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

describe('the parts of long reads', () => {
  it('follow one another, in the order in which they were asked for', async () => {
    const seen: string[] = [];
    const part = (name: string) =>
      inTurn(async () => {
        seen.push(`${name} begins`);
        await pause(5);
        seen.push(`${name} ends`);
      });
    await Promise.all([part('first'), part('second')]);
    expect(seen).toEqual(['first begins', 'first ends', 'second begins', 'second ends']);
  });

  it('leave as much time to others as they took', async () => {
    const seen: string[] = [];
    const first = inTurn(async () => spin(60)).then(() =>
      setTimeout(() => seen.push('others'), 20),
    );
    await Promise.all([first, inTurn(async () => seen.push('second'))]);
    expect(seen).toEqual(['others', 'second']);
  });

  it('do not wait for one that fails or hangs', async () => {
    await expect(inTurn(() => Promise.reject(new Error('The disk is full.')))).rejects.toThrow();
    void inTurn(() => new Promise(() => undefined));
    await expect(inTurn(async () => 'read')).resolves.toBe('read');
  });

  it('end when nobody takes any more of them', async () => {
    const seen: string[] = [];
    async function* parts() {
      try {
        yield 1;
        yield 2;
      } finally {
        seen.push('closed');
      }
    }
    for await (const part of eachInTurn(parts())) if (part === 1) break;
    expect(seen).toEqual(['closed']);
  });
});
