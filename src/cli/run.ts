import { SECRET_FILES } from '../platform/config/files/secret-files.js';
import { loadOptions, takesValue } from '../platform/config/load-options.js';
import { OptionMistakes } from '../platform/config/option-types.js';
import { OPTIONS, flagName } from '../platform/config/server-options.js';
import { PRODUCT_VERSION } from '../platform/project.js';
import { readPrices } from '../billing/pricing/price-list.js';
import { listOfModels } from '../trust/whitelist/aaguid-file.js';
import { COMMANDS, type Command } from './commands.js';

/** The files of options that features read. */
const FILES = { readers: [readPrices], checks: { aaguidFile: listOfModels } };

/** Exit codes: 0 for done (or serving), 1 for failed, 2 for a mistake on the command line. */
type ExitCode = 0 | 1 | 2;

/** Runs the command line, and prints a line for each of its mistakes. */
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

/**
 * Runs the server, or the sub-command that the first words name.
 *
 * @throws OptionMistakes if the command line is wrong
 */
async function runCommand(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  if (argv.includes('--help')) return console.log(helpText());
  if (argv.includes('--version')) return console.log(PRODUCT_VERSION);
  const words = wordsOf(argv);
  const name = Object.keys(COMMANDS).find((one) => beginsWith(words, one.split(' ')));
  const command = name === undefined ? undefined : COMMANDS[name];
  if (name === undefined || !command) {
    const alike = Object.entries(COMMANDS).filter(([one]) => one.split(' ')[0] === words[0]?.word);
    if (alike.length > 0) {
      const usages = alike.map((entry) => usageOf(...entry)).join(', ');
      throw new OptionMistakes([`${words[0]?.word}: the command must be one of ${usages}`]);
    }
    const { options } = loadOptions(argv, env, undefined, FILES);
    const { serve } = await import('./commands/serve.js');
    return serve(options);
  }
  const { words: wanted = [], repeatsLast = false, flags = [], switches = [] } = command;
  const named = new Set(words.slice(0, name.split(' ').length).map(({ at }) => at));
  const rest = argv.filter((_, at) => !named.has(at));
  const form = {
    flags,
    switches,
    words: wanted.length,
    more: repeatsLast,
    usage: `Usage: servicefido ${usageOf(name, command)}`,
  };
  const line = loadOptions(rest, env, form, FILES);
  await command.run(line);
}

interface Word {
  readonly word: string;
  readonly at: number;
}

const OWN_FLAGS: ReadonlySet<string> = new Set(
  Object.values(COMMANDS).flatMap(({ flags = [] }) => flags),
);

/** The arguments that are neither options nor their values, with their places: options may come before a command. */
function wordsOf(argv: readonly string[]): Word[] {
  const words: Word[] = [];
  for (let at = 0; at < argv.length; at += 1) {
    const arg = argv[at] ?? '';
    if (!arg.startsWith('--')) words.push({ word: arg, at });
    else if (!arg.includes('=') && takesValue(arg.slice(2), argv[at + 1] ?? '', OWN_FLAGS)) at += 1;
  }
  return words;
}

const beginsWith = (words: readonly Word[], names: readonly string[]): boolean =>
  names.every((name, n) => words[n]?.word === name);

/** A command with its arguments, for example `tenant add <tenant>`. */
function usageOf(name: string, { words = [], repeatsLast = false }: Command): string {
  const last = words.length - 1;
  const args = words.map((word, n) => (repeatsLast && n === last ? `<${word}…>` : `<${word}>`));
  return [name, ...args].join(' ');
}

function defaultOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? ' (on)' : ' (off)';
  return value === undefined || Array.isArray(value) ? '' : ` (${String(value)})`;
}

function helpText(): string {
  const options = Object.entries(OPTIONS).map(
    ([name, [type, meaning]]) =>
      `  --${flagName(name).padEnd(18)} ${meaning}${defaultOf(type.default)}`,
  );
  const commands = Object.entries(COMMANDS).map(
    ([name, command]) => `  ${usageOf(name, command).padEnd(38)} ${command.summary}`,
  );
  return [
    'servicefido [options]            runs the server',
    'servicefido <command> [options]  administers its database',
    '',
    'Options (also SERVICEFIDO_* in the environment, and keys of the --config FILE):',
    `  --${'config'.padEnd(18)} YAML or JSON file with options`,
    ...options,
    `  Secrets can be in files: ${SECRET_FILES.map(([flag]) => `--${flag}`).join(', ')}`,
    '',
    'Commands:',
    ...commands,
  ].join('\n');
}
