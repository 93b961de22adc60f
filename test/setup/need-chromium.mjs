// Without Chromium these tests are skipped; the end of the run names them.
if (process.env.CHROMIUM === '') {
  Object.assign(globalThis, { describe: describe.skip, it: it.skip, test: test.skip });
}
