// Without Chromium the tests of test/browser are skipped; the end of the run names them.
if (process.env.CHROMIUM === '' && expect.getState().testPath.includes('/test/browser/')) {
  Object.assign(globalThis, { describe: describe.skip, it: it.skip, test: test.skip });
}
