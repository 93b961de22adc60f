import { availableParallelism } from 'node:os';
import { MARIADB } from './scripts/lib/services/mariadb.mjs';
import { findProgram } from './scripts/lib/services/programs.mjs';
import { REDIS } from './scripts/lib/services/redis.mjs';

/** A service that `npm test` could not find: its summary says so, and CI=true makes it a failure. */
const isMissing = (name) => process.env[name] === '';

/** Services of a suite's own, to be frozen and killed. */
const canHavePrivateOnes =
  findProgram(...MARIADB.programs) !== undefined && findProgram(...REDIS.programs) !== undefined;

/** It needs a C compiler, and a system that can load a library before others. */
const canPlayPowerLoss = process.platform === 'linux' && findProgram('cc', 'gcc', 'clang');

/** Jest runs native ES modules: start it through `npm test` or `node --experimental-vm-modules`. */
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/src', '<rootDir>/test'],
  testMatch: ['**/*.spec.ts', '**/*.e2e-spec.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': '@swc/jest' },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  testPathIgnorePatterns: [
    ...(isMissing('CHROMIUM') ? ['/test/browser/'] : []),
    ...(canPlayPowerLoss ? [] : ['/test/resilience/power-loss\\.e2e-spec\\.ts$']),
    ...(isMissing('TEST_MYSQL_URL')
      ? ['/test/[a-z]+/(?:lost-connection|replays)\\.e2e-spec\\.ts$']
      : []),
    ...(canHavePrivateOnes
      ? []
      : [
          '/test/[a-z]+/(?:faults|refusing-databases|replays|session-store-faults)\\.e2e-spec\\.ts$',
        ]),
    ...(isMissing('TEST_REDIS_URL') ? ['/test/database/redis-link\\.spec\\.ts$'] : []),
    ...(isMissing('TEST_MYSQL_URL') || isMissing('TEST_REDIS_URL')
      ? ['/test/[a-z]+/(?:departures|instances|workers)\\.e2e-spec\\.ts$']
      : []),
  ],
  testSequencer: '<rootDir>/scripts/lib/jest-sequencer.mjs',
  setupFiles: ['reflect-metadata'],
  // Suites wait for databases and browsers half of their time, so three share even a small machine.
  maxWorkers: Math.max(3, availableParallelism() - 1),
  // Modules of ES stay in memory for the life of a process; a worker that has collected many is replaced.
  workerIdleMemoryLimit: '1GB',
  testTimeout: 30_000,
};
