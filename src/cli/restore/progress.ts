import { Worker } from 'node:worker_threads';

/** SQLite's calls block the thread, so another one writes; standard error is written without the first one's help. */
const REPORTER = `
  const { statSync, writeSync } = require('node:fs');
  const { workerData: { what, part, total } } = require('node:worker_threads');
  const mb = (bytes) => Math.round(bytes / 1e6);
  const size = () => statSync(part, { throwIfNoEntry: false })?.size ?? 0;
  const began = Date.now();
  setInterval(() => {
    const seconds = Math.round((Date.now() - began) / 1000);
    writeSync(2, what + ': ' + mb(size()) + ' of about ' + mb(total) + ' MB, ' + seconds + ' s\\n');
  }, 5000);
`;

/** What is reported: how far a file has grown. */
interface Growth {
  readonly what: string;
  readonly part: string;
  /** Bytes. */
  readonly total: number;
}

/** Does work that blocks this thread, and reports on standard error every five seconds. */
export function withProgress<T>(growth: Growth, work: () => T): T {
  const reporter = new Worker(REPORTER, { eval: true, workerData: growth });
  reporter.unref();
  try {
    return work();
  } finally {
    void reporter.terminate();
  }
}
