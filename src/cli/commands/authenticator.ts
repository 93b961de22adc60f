import { pathToFileURL } from 'node:url';
import { projectPath } from '../../platform/project.js';
import type { Runs } from '../commands.js';

/** The part of the package `@servicefido/testing` that this command uses. */
interface Testing {
  answerLines(
    input: NodeJS.ReadableStream,
    output: NodeJS.WritableStream,
    program: string,
  ): Promise<void>;
}

export const authenticatorCommand: Runs<'authenticator'> = {
  /**
   * An authenticator for tests in any language: answers each line of JSON on standard input by one on standard output,
   * as docs/testing.md describes. The package beside the program has it; no server needs to load it.
   */
  authenticator: async () => {
    if (process.stdin.isTTY) console.error('Requests, one JSON object a line (end with Ctrl-D):');
    const lines = pathToFileURL(projectPath('packages/testing/dist/json-lines.js')).href;
    const { answerLines } = (await import(lines)) as Testing;
    await answerLines(process.stdin, process.stdout, projectPath('dist/main.js'));
  },
};
