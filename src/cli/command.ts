import type { CommandLine } from '../platform/config/load-options.js';

export interface Command {
  /** The words behind the command, in angle brackets; `…` in the last one stands for one or more. */
  readonly words: string;
  readonly flags: readonly string[];
  /** Flags that take no value. */
  readonly switches?: readonly string[];
  readonly summary: string;
  run(line: CommandLine): Promise<void>;
}
