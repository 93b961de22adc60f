import TestSequencer from '@jest/test-sequencer';
import { isLong } from './together.mjs';

/**
 * The order of files: those that take long first, so that at the end no worker waits for another's
 * last. Jest by itself goes by the durations of the run before, and in a fresh clone by sizes.
 */
export default class LongestFirst extends TestSequencer {
  sort(tests) {
    const usual = super.sort(tests);
    const long = usual.filter(({ path }) => isLong(path));
    return [...long, ...usual.filter((test) => !long.includes(test))];
  }
}
