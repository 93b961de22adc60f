import { boundYoungGeneration } from './heap-bounds.js';

const GIVEN = {
  execPath: '/bin/node',
  execArgv: ['--inspect'],
  argv: ['node', 'main.js', '--port', '1'],
  env: { HOME: '/' },
  connected: false,
};

/** What a program is begun with once more, if it is. */
function begunWith(change: Partial<Parameters<typeof boundYoungGeneration>[0]> = {}): unknown[] {
  const begun: unknown[] = [];
  boundYoungGeneration({ ...GIVEN, execve: (...given) => begun.push(...given), ...change });
  return begun;
}

describe('boundYoungGeneration', () => {
  it('begins the program once more, with all that it was given', () => {
    const args = ['--max-semi-space-size=16', '--inspect', 'main.js', '--port', '1'];
    expect(begunWith()).toEqual(['/bin/node', ['/bin/node', ...args], { HOME: '/' }]);
  });

  it.each([
    ['that has the bound', { execArgv: ['--max-semi-space-size=16'] }],
    ['whose bound stands in NODE_OPTIONS', { env: { NODE_OPTIONS: '--max_semi_space_size=32' } }],
    ['that was forked', { connected: true }],
  ])('leaves a program alone %s', (_, change) => {
    expect(begunWith(change)).toEqual([]);
  });

  it('goes on where Node cannot', () => {
    expect(() => boundYoungGeneration(GIVEN)).not.toThrow();
  });
});
