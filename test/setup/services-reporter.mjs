import { relative } from 'node:path';
import { found } from './services.mjs';

/**
 * Prints what the tests ran on and, where a service is missing, the files with skipped tests. A missing service
 * fails the run if CI=true or if a variable named it.
 */
export default class ServicesReporter {
  #namePattern;
  #error;

  constructor({ testNamePattern }) {
    this.#namePattern = testNamePattern;
  }

  onRunComplete(_contexts, { testResults }) {
    const { services } = found;
    if (services === undefined) return;
    const line = ({ name, detail, missing }) =>
      `  ${name.padEnd(18)} ${missing === undefined ? detail : `MISSING: ${missing}`}`;
    console.error(['\nTested with:', ...services.map(line)].join('\n'));

    if (process.env.TEST_EVERY_DATABASE !== 'yes') {
      console.error(
        'Suites of features ran on SQLite alone: TEST_EVERY_DATABASE=yes adds MariaDB.',
      );
    }

    // A name pattern skips tests as well.
    const skipped = this.#namePattern ? [] : testResults.filter((file) => file.numPendingTests > 0);
    const notRun = skipped.map(
      ({ testFilePath, numPendingTests }) =>
        `  ${relative(process.cwd(), testFilePath)}: ${numPendingTests} tests`,
    );
    if (notRun.length > 0) console.error(['\nNot run:', ...notRun].join('\n'));

    const failing = services.filter(isFailure).map(({ name }) => name);
    if (failing.length === 0) return;
    this.#error = new Error(`The run fails without ${failing.join(' and ')}.`);
    console.error(`\n${this.#error.message}`);
  }

  /** Jest fails the run if there is one. */
  getLastError() {
    return this.#error;
  }
}

const isFailure = ({ missing, broken, optional }) =>
  missing !== undefined && (broken || (process.env.CI === 'true' && !optional));
