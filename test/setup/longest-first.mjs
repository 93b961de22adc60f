import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Sequencer from '@jest/test-sequencer';

/**
 * Starts the longest test files first, so that none of them runs alone at the end.
 * Jest itself orders a clean clone by the size of the files, and ours mostly import their suites.
 */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const cost = new Map(tests.map((test) => [test, costOf(test)]));
    return [...tests].sort((one, other) => cost.get(other) - cost.get(one));
  }
}

/** What a proof takes beyond its size: it starts servers, compilers or browsers, or waits for them. */
const PROOF = 60_000;

/** A page costs a browser more than a call costs: a line of a browser test counts three times. */
function costOf({ path }) {
  const cost = sizeOf(path) * (path.includes('/test/browser/') ? 3 : 1);
  return path.endsWith('.proof-spec.ts') ? cost + PROOF : cost;
}

/** The characters of a test file and of the suites that it imports. */
function sizeOf(path) {
  const source = readFileSync(path, 'utf8');
  const suites = [...source.matchAll(/^import '(.+\.suite)\.js';$/gm)];
  return suites.reduce(
    (sum, [, suite]) => sum + sizeOf(join(dirname(path), `${suite}.ts`)),
    source.length,
  );
}
