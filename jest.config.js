import { availableParallelism } from 'node:os';

const common = {
  testEnvironment: 'node',
  testRunner: '<rootDir>/test/setup/native-runner.mjs',
};

/** Jest calls both once, however many projects name them, and not at all for unit tests alone. */
const withServices = {
  ...common,
  globalSetup: '<rootDir>/test/setup/start-services.mjs',
  globalTeardown: '<rootDir>/test/setup/stop-services.mjs',
  setupFilesAfterEnv: ['<rootDir>/test/setup/need-chromium.mjs'],
};

/** Start it through `npm test`, which chooses the Node.js and leaves out the proofs. */
export default {
  projects: [
    {
      ...common,
      displayName: 'unit',
      testMatch: ['<rootDir>/src/**/*.spec.ts', '<rootDir>/test/**/*.spec.ts'],
    },
    {
      ...withServices,
      displayName: 'e2e',
      testMatch: ['<rootDir>/test/**/*.e2e-spec.ts'],
    },
    {
      ...withServices,
      displayName: 'proof',
      testMatch: ['<rootDir>/test/**/*.proof-spec.ts'],
    },
  ],
  testSequencer: '<rootDir>/test/setup/longest-first.mjs',
  reporters: [
    'default',
    '<rootDir>/test/setup/services-reporter.mjs',
    ...(process.env.CI === 'true' ? ['<rootDir>/test/setup/folder-counts.mjs'] : []),
  ],
  // Suites wait for databases and browsers half of their time, so three share even a small machine.
  maxWorkers: Math.max(3, availableParallelism() - 1),
  // ES modules stay in memory for the life of a process; a worker that has collected many is replaced.
  workerIdleMemoryLimit: '1GB',
  // On a busy machine, a worker with nothing left open takes more than the default of 500 ms to free its memory.
  workerGracefulExitTimeout: 20_000,
  // It ends tests that hang, also on a machine that is busy with other things. A long run may take hours.
  testTimeout: process.env.HARNESS_SIZE === undefined ? 600_000 : 6 * 3_600_000,
};
