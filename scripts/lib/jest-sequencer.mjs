import { readFileSync } from 'node:fs';
import TestSequencer from '@jest/test-sequencer';

/** What starts processes, browsers and compilers takes long, however short the file is. */
const LONG = /\b(?:ServerProcess|runProgram|openBrowser|AdminBrowser|ProjectCopy|Image\.make)\b/;

/**
 * The order of files: those that take long first, so that at the end no worker waits for another's
 * last. Jest by itself goes by the durations of the run before, and in a fresh clone by sizes.
 */
export default class LongestFirst extends TestSequencer {
  sort(tests) {
    const usual = super.sort(tests);
    const isLong = ({ path }) => LONG.test(readFileSync(path, 'utf8'));
    return [...usual.filter(isLong), ...usual.filter((test) => !isLong(test))];
  }
}
