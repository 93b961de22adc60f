#!/usr/bin/env node
/**
 * `npm run audit`: fails on a known vulnerability of severity high or critical in a production
 * dependency. Some registries do not support the query: then it says so and passes, since the result is
 * unknown.
 */
import { spawnSync } from 'node:child_process';
import { ROOT, say } from './lib/project.mjs';

const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
  cwd: ROOT,
  encoding: 'utf8',
  shell: process.platform === 'win32',
});
const counts = countsIn(stdout ?? '');
if (counts === undefined) {
  say('npm audit: NOT CHECKED, the registry does not answer it');
} else {
  const { critical, high, moderate, low } = counts;
  say(`npm audit: ${critical} critical, ${high} high, ${moderate} moderate, ${low} low`);
  process.exitCode = critical + high > 0 ? 1 : 0;
}

/** The number of findings of each severity; `undefined` if the answer contains none. */
function countsIn(text) {
  try {
    return JSON.parse(text).metadata?.vulnerabilities;
  } catch {
    return undefined;
  }
}
