import { SECRET_FILES } from '../platform/config/files/secret-files.js';
import { takesValue, type CommandForm } from '../platform/config/argv-reader.js';
import { loadOptions } from '../platform/config/load-options.js';
import { OptionMistakes } from '../platform/config/option-types.js';
import { closestName } from '../platform/common/closest-name.js';
import { ApiError } from '../platform/errors/api-error.js';
import type { Reason } from '../platform/errors/reasons.js';
import { OPTIONS, flagName } from '../platform/config/server-options.js';
import { PRODUCT_VERSION } from '../platform/project.js';
import { readPrices } from '../billing/pricing/price-list.js';
import { listOfModels } from '../trust/whitelist/aaguid-file.js';
import { PROGRAM, withProgram } from '../platform/program.js';
import { COMMANDS, type CommandName } from './commands.js';
import { execute } from './execute.js';

const NAMES = Object.keys(COMMANDS) as CommandName[];

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
    console.error(error instanceof Error ? sentenceAbout(error) : error);
    return 1;
  }
}

/** The commands that list what a refused command may name. */
const LISTS: Partial<Record<Reason, string>> = {
  'applicationKey.unknown': 'key list',
  'oidc.noClient': 'client list DOMAIN',
  'tenant.unknown': 'tenant list',
  'webhook.unknown': 'webhook list',
};

function sentenceAbout(error: Error): string {
  const list = error instanceof ApiError ? LISTS[error.problem.reason] : undefined;
  return list === undefined ? error.message : `${error.message} See: ${PROGRAM} ${list}`;
}

/**
 * Runs the server, or the sub-command that the first words name.
 *
 * @throws OptionMistakes if the command line is wrong
 */
async function runCommand(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const [first = ''] = argv;
  const words = wordsOf(argv);
  if (argv.includes('--help') || HELP.includes(first)) return console.log(helpAbout(words));
  if (argv.includes('--version') || VERSION.includes(first)) return console.log(PRODUCT_VERSION);
  const name = NAMES.find((one) => beginsWith(words, one.split(' ')));
  if (name !== undefined) {
    const named = new Set(words.slice(0, name.split(' ').length).map(({ at }) => at));
    const rest = argv.filter((_, at) => !named.has(at));
    return execute(name, loadOptions(rest, env, formOf(name), FILES));
  }
  const mistake = mistakeIn(words);
  if (mistake !== undefined) throw new OptionMistakes([mistake]);
  const { options } = loadOptions(argv, env, undefined, FILES);
  const { serve } = await import('./serve/serve.js');
  return serve(options);
}

/** How the arguments after the words of a command are read. */
function formOf(name: CommandName): CommandForm {
  const { words = [], repeats = false, flags = {}, lists = {}, switches = {} } = COMMANDS[name];
  return {
    flags: Object.keys(flags).map(flagName),
    lists: Object.keys(lists).map(flagName),
    switches: Object.keys(switches).map(flagName),
    words: words.length,
    more: repeats,
    usage: `Usage: ${PROGRAM} ${usageOf(name)}`,
  };
}

const HELP: readonly string[] = ['help', '-h'];
const VERSION: readonly string[] = ['version', '-v'];

/** The mistake in words that name no command; `undefined` if they may be those of options. */
function mistakeIn(words: readonly Word[]): string | undefined {
  for (const count of [1, 2]) {
    const first = words.slice(0, count).map(({ word }) => word);
    const written = first.join(' ');
    const meant = first.length === count && closestName(written, NAMES);
    if (meant) return `${written}: there is no such command (did you mean ${usageOf(meant)}?)`;
  }
  const alike = NAMES.filter((name) => name.split(' ')[0] === words[0]?.word);
  if (alike.length === 0) return undefined;
  return `${words[0]?.word}: the command must be one of ${alike.map(usageOf).join(', ')}`;
}

interface Word {
  readonly word: string;
  readonly at: number;
}

const OWN_FLAGS: ReadonlySet<string> = new Set(
  Object.values(COMMANDS)
    .flatMap(({ flags = {}, lists = {} }) => Object.keys({ ...flags, ...lists }))
    .map(flagName),
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
function usageOf(name: CommandName): string {
  const { words = [], repeats = false } = COMMANDS[name];
  return [name, ...words.map((word) => (repeats ? `<${word}…>` : `<${word}>`))].join(' ');
}

function defaultOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? ' (on)' : ' (off)';
  return value === undefined || Array.isArray(value) ? '' : ` (${String(value)})`;
}

/** The help about the commands that begin with these words, else all of it. */
function helpAbout(words: readonly Word[]): string {
  const wanted = words.map(({ word }) => word).filter((word, n) => n > 0 || word !== 'help');
  const about = NAMES.filter(
    (name) => wanted.length > 0 && `${name} `.startsWith(`${wanted.join(' ')} `),
  );
  if (about.length === 0) return helpText();
  const lines = about.flatMap((name) => [
    `${PROGRAM} ${usageOf(name)}`,
    `  ${COMMANDS[name].summary}`,
    ...flagLines(name),
  ]);
  return lines.join('\n');
}

/** A line of the help for each flag of a command. */
function flagLines(name: CommandName): string[] {
  const { flags, lists = {}, switches } = COMMANDS[name];
  const texts = Object.entries({ ...flags, ...lists, ...switches });
  return texts.map(([flag, text]) => {
    const how = flag in lists ? '; separated by commas, or repeatable' : '';
    return `    --${flagName(flag).padEnd(18)} ${text}${how}`;
  });
}

function helpText(): string {
  const options = Object.entries(OPTIONS).map(
    ([name, [type, meaning]]) =>
      `  --${flagName(name).padEnd(18)} ${meaning}${defaultOf(type.default)}`,
  );
  const commands = NAMES.flatMap((name) => [
    `  ${usageOf(name).padEnd(38)} ${COMMANDS[name].summary}`,
    ...flagLines(name),
  ]);
  return [
    `${PROGRAM} [options]            runs the server`,
    `${PROGRAM} <command> [options]  administers its database`,
    '',
    'Options (also SERVICEFIDO_* in the environment, and keys of the --config FILE):',
    `  --${'config'.padEnd(18)} YAML or JSON file with options`,
    ...options.map(withProgram),
    `  Secrets can be in files: ${SECRET_FILES.map(([flag]) => `--${flag}`).join(', ')}`,
    '',
    'Commands:',
    ...commands,
  ].join('\n');
}
