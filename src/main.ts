#!/usr/bin/env node
import { runCommand } from './cli/commands.js';
import { OptionMistakes } from './config/load-options.js';

try {
  await runCommand(process.argv.slice(2), process.env);
} catch (error) {
  // A start that failed half-way may have opened connections that would keep the process alive.
  if (error instanceof OptionMistakes) {
    for (const mistake of error.mistakes) console.error(mistake);
    process.exit(2);
  } else {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
