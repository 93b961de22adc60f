/** A service that `npm test` could not find: its summary says so, and CI=true makes it a failure. */
const isMissing = (name) => process.env[name] === '';

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
    ...(isMissing('TEST_MYSQL_URL') || isMissing('TEST_REDIS_URL')
      ? ['/test/(?:instances|workers)\\.e2e-spec\\.ts$']
      : []),
  ],
  setupFiles: ['reflect-metadata'],
  testTimeout: 30_000,
};
