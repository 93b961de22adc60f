/** Jest runs native ES modules: start it through `npm test` or `node --experimental-vm-modules`. */
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/src', '<rootDir>/test'],
  testMatch: ['**/*.spec.ts', '**/*.e2e-spec.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': '@swc/jest' },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  // The browser suites need a Chromium; `npm test` says so when there is none.
  testPathIgnorePatterns: process.env.CHROMIUM === '' ? ['/test/browser/'] : [],
  setupFiles: ['reflect-metadata'],
  testTimeout: 30_000,
};
