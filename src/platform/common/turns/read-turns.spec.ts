import { setTimeout as pause } from 'node:timers/promises';
import { eachInTurn, takeTurn, type Reader } from './read-turns.js';

const spin = (ms: number): void => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

const readerOf = (caller: string): Reader => ({ caller, hasLeft: () => false });
const anna = readerOf('anna');

describe('takeTurn', () => {
  it('runs the parts of one caller one after another, in the order of the calls', async () => {
    const seen: string[] = [];
    const part = (name: string) =>
      takeTurn(anna, async () => {
        seen.push(`${name} begins`);
        await pause(5);
        seen.push(`${name} ends`);
      });
    await Promise.all([part('first'), part('second')]);
    expect(seen).toEqual(['first begins', 'first ends', 'second begins', 'second ends']);
  });

  it('runs the parts of several callers alternately', async () => {
    const seen: string[] = [];
    const parts = (caller: string, count: number) =>
      Array.from({ length: count }, () =>
        takeTurn(readerOf(caller), async () => void seen.push(caller)),
      );
    await Promise.all([...parts('anna', 30), ...parts('bert', 2), ...parts('carl', 1)]);
    expect(seen.slice(0, 4)).toEqual(expect.arrayContaining(['bert', 'carl']));
    expect(seen.slice(4, 6)).toContain('bert');
    expect(seen).toHaveLength(33);
  });

  it('rejects the waiting parts of a reader who has left', async () => {
    const seen: string[] = [];
    let isHere = true;
    const bert = { caller: 'bert', hasLeft: () => !isHere };
    const parts = [
      takeTurn(anna, async () => seen.push('anna')),
      ...Array.from({ length: 30 }, () => takeTurn(bert, async () => seen.push('bert'))),
      takeTurn(anna, async () => seen.push('anna')),
    ];
    isHere = false;
    const ended = await Promise.allSettled(parts);
    expect(ended.filter(({ status }) => status === 'rejected')).toHaveLength(30);
    expect(seen).toEqual(['anna', 'anna']);
  });

  it('pauses after a part for as long as the part took', async () => {
    const seen: string[] = [];
    const first = takeTurn(anna, async () => spin(60)).then(() =>
      setTimeout(() => seen.push('others'), 20),
    );
    await Promise.all([first, takeTurn(anna, async () => seen.push('second'))]);
    expect(seen).toEqual(['others', 'second']);
  });

  it('lets other work run between two short parts', async () => {
    const seen: string[] = [];
    const first = takeTurn(anna, async () => void setImmediate(() => seen.push('others')));
    await Promise.all([first, takeTurn(anna, async () => seen.push('second'))]);
    expect(seen).toEqual(['others', 'second']);
  });

  it('takeTurn does not wait for a part that fails or hangs', async () => {
    const failing = takeTurn(anna, () => Promise.reject(new Error('The disk is full.')));
    await expect(failing).rejects.toThrow();
    void takeTurn(anna, () => new Promise(() => undefined));
    await expect(takeTurn(anna, async () => 'read')).resolves.toBe('read');
  });

  it('eachInTurn closes its parts when the reader takes no further one', async () => {
    const seen: string[] = [];
    async function* parts() {
      try {
        yield 1;
        yield 2;
      } finally {
        seen.push('closed');
      }
    }
    for await (const part of eachInTurn(anna, parts())) if (part === 1) break;
    expect(seen).toEqual(['closed']);
  });
});
