import { relative } from 'node:path';

/** Prints how many tests ran in each folder, so that a run of `.ci/run` shows that none was lost. */
export default class FolderCounts {
  onRunComplete(_contexts, { testResults }) {
    const counts = new Map();
    for (const { testFilePath, numPassingTests, numFailingTests } of testResults) {
      const folder = relative(process.cwd(), testFilePath).split('/').slice(0, 2).join('/');
      counts.set(folder, (counts.get(folder) ?? 0) + numPassingTests + numFailingTests);
    }
    const lines = [...counts].sort().map(([folder, count]) => `  ${folder.padEnd(20)} ${count}`);
    console.error(['\nTests that ran in each folder:', ...lines].join('\n'));
  }
}
