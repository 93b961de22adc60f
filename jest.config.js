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
};

/** Jest runs native ES modules: start it through `npm test` or `node --experimental-vm-modules`. */
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
      testMatch: ['<rootDir>/test/!(browser)/*.e2e-spec.ts'],
    },
    {
      ...withServices,
      displayName: 'browser',
      testMatch: ['<rootDir>/test/browser/*.e2e-spec.ts'],
      setupFilesAfterEnv: ['<rootDir>/test/setup/need-chromium.mjs'],
    },
  ],
  testSequencer: '<rootDir>/test/setup/longest-first.mjs',
  reporters: ['default', '<rootDir>/test/setup/services-reporter.mjs'],
  // Suites wait for databases and browsers half of their time, so three share even a small machine.
  maxWorkers: Math.max(3, availableParallelism() - 1),
  // ES modules stay in memory for the life of a process; a worker that has collected many is replaced.
  workerIdleMemoryLimit: '1GB',
  // It ends tests that hang, also on a machine that is busy with other things. A long run may take hours.
  testTimeout: process.env.HARNESS_SIZE === undefined ? 120_000 : 6 * 3_600_000,
};
