/**
 * A reporter of Jest: tells the process that started it which file begins, when one of its tests has
 * ended, and what came of the file.
 */
export default class ProgressReporter {
  onRunStart({ numTotalTestSuites }) {
    process.send?.({ files: numTotalTestSuites });
  }

  onTestFileStart({ path }) {
    process.send?.({ begun: path });
  }

  /** A sign of life: some files take longer than a run may be silent. */
  onTestCaseResult() {
    process.send?.({});
  }

  onTestFileResult({ path }, result) {
    const { numPassingTests, numFailingTests, numPendingTests, numTodoTests } = result;
    process.send?.({
      ended: path,
      passed: numPassingTests,
      // A file that does not even load has no failed test to count.
      failed: numFailingTests + (result.testExecError && numFailingTests === 0 ? 1 : 0),
      skipped: numPendingTests + numTodoTests,
    });
  }
}
