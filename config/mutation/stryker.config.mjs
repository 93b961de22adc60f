export default {
  testRunner: 'core',
  plugins: ['./config/mutation/runner.mjs'],
  coverageAnalysis: 'perTest',
  mutate: [
    'src/webauthn/**/*.ts',
    '!src/webauthn/**/*.spec.ts',
    // Data and types: nothing in them can be broken without breaking a constant.
    '!src/webauthn/attestation/roots/**',
    '!src/webauthn/failure.ts',
    '!src/webauthn/metadata/metadata-error.ts',
  ],
  // Names of failures are checked by the compiler, and their details are for logs.
  mutator: { excludedMutations: ['StringLiteral'] },
  ignorePatterns: ['/config/mutation', '/reports', '/docs', '/bench', '/dist', '/data'],
  reporters: ['clear-text', 'json'],
  clearTextReporter: { reportTests: false, reportMutants: false, allowColor: false },
  jsonReporter: { fileName: 'reports/mutation/report.json' },
  thresholds: { high: 95, low: 85, break: 85 },
  timeoutMS: 10_000,
};
