import { setImmediate as nextTurn } from 'node:timers/promises';
import { RequestBatcher } from './server-adapter.js';

describe('RequestBatcher', () => {
  it('runs the requests of a batch step by step in order of arrival', async () => {
    const batcher = new RequestBatcher();
    const steps: string[] = [];
    const request = async (name: string) => {
      await batcher.together();
      steps.push(`${name}1`);
      await undefined;
      steps.push(`${name}2`);
    };
    const first = request('a');
    await nextTurn();
    await Promise.all([first, request('b'), request('c')]);
    expect(steps).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'c2']);
  });

  it('RequestBatcher does not wait for requests that arrive after the batch has started', async () => {
    const batcher = new RequestBatcher();
    await batcher.together();
    let late = false;
    const second = batcher.together().then(() => (late = true));
    expect(late).toBe(false);
    await second;
    expect(late).toBe(true);
  });
});
