/** A reporter of Jest: tells the process that started it which file begins, and what came of it. */
export default class ProgressReporter {
  onRunStart({ numTotalTestSuites }) {
    process.send?.({ files: numTotalTestSuites });
  }

  onTestFileStart({ path }) {
    process.send?.({ begun: path });
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
