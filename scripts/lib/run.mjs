import { endWithShell } from './end-with-shell.mjs';
import { isSupportedNode, standInNode } from './node-version.mjs';
import { Refusal } from './project.mjs';
import { runOn } from './run-on.mjs';

/** Runs a command's main function; on a Node.js that is too old, runs the whole command on a newer one. */
export const run = (main) => reportRefusal(isSupportedNode() ? main : startAgain);

/** Runs a function; a Refusal or an unknown flag becomes one line and exit code 1. */
export async function reportRefusal(main) {
  try {
    await main();
  } catch (error) {
    const isWrongFlag = error.code?.startsWith('ERR_PARSE_ARGS');
    if (!(error instanceof Refusal) && !isWrongFlag) throw error;
    console.error(`servicefido: ${error.message}`);
    process.exitCode = 1;
  }
}

async function startAgain() {
  const node = standInNode();
  // For the child, the end of this process is like the end of the shell.
  endWithShell(() => process.exit(1));
  await runOn(node, node, [...process.execArgv, ...process.argv.slice(1)]);
}
