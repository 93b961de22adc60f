import TestSequencer from '@jest/test-sequencer';
import { isLong, isTogether } from './together.mjs';

/**
 * The order of files: several suites at once, then those that take long, so that at the end no worker
 * waits for another's last. Jest by itself goes by the durations of the run before, and in a fresh clone by sizes.
 */
export default class LongestFirst extends TestSequencer {
  sort(tests) {
    const usual = super.sort(tests);
    const rank = ({ path }) => (isTogether(path) ? 0 : isLong(path) ? 1 : 2);
    return usual.toSorted((one, other) => rank(one) - rank(other));
  }
}
