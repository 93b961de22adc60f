import { OptionMistakes } from '../platform/config/load-options.js';
import { runCommand } from './commands.js';

/** Exit codes: 0 for done (or serving), 1 for failed, 2 for a mistake of the command line. */
type ExitCode = 0 | 1 | 2;

/** Runs what the command line says, and prints a line for each thing that is wrong with it. */
export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<ExitCode> {
  try {
    await runCommand(argv, env);
    return 0;
  } catch (error) {
    if (error instanceof OptionMistakes) {
      for (const mistake of error.mistakes) console.error(mistake);
      return 2;
    }
    console.error(error instanceof Error ? error.message : error);
    return 1;
  }
}
