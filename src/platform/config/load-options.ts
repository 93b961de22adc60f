import { join } from 'node:path';
import {
  ArgvReader,
  BY_FLAG,
  noSuchOption,
  optionNames,
  optionTypeOf,
  type CommandForm,
  type OptionSources,
} from './argv-reader.js';
import { readAccounts } from './files/accounts-file.js';
import { readConsoleOidc } from './files/console-oidc-file.js';
import { readAuditKey, readSecretKeys } from './files/key-files.js';
import { readYamlFile } from './files/option-file.js';
import { OptionMistake, OptionMistakes, collectMistakes, type OptionType } from './option-types.js';
import { readSecretFiles, type OptionSource } from './files/secret-files.js';
import { takenByNpm } from './npm-options.js';
import { conflictsOf } from './option-conflicts.js';
import type { ServerOptions } from './server-config.js';
import { keyPair, type StartCheck } from './start-checks.js';
import { OPTIONS, flagName, type OptionName, type OptionValues } from './server-options.js';

export interface CommandLine {
  options: ServerOptions;
  /** Arguments that are not options: the arguments of the sub-command. */
  words: readonly string[];
  /**
   * Values of the sub-command's own flags (`--name value`), and its switches with the value `on`. Lists are separated by
   * commas.
   */
  own: ReadonlyMap<string, string>;
}

const upperSnake = (name: string) => flagName(name).replaceAll('-', '_').toUpperCase();
/** The kind of each option, by its name as a flag. */
const KINDS = new Map<string, OptionType<unknown>['kind']>([
  ...[...BY_FLAG].map(([flag, name]) => [flag, optionTypeOf(name).kind] as const),
  ['config', 'text'],
]);
const ENV_PREFIX = 'SERVICEFIDO_';
/** Variables of the same prefix that are not options. */
const ENV_OTHERS = new Set([
  'SERVICEFIDO_CONFIG',
  'SERVICEFIDO_VECTORS',
  // For applications beside the server, as in the README and the examples.
  'SERVICEFIDO_KEY',
  'SERVICEFIDO_URL',
]);

/** The checks of option files that features read. */
interface FeatureFiles {
  /** Read the files whatever the command; throw `OptionMistakes`. */
  readonly readers?: readonly ((options: ServerOptions) => unknown)[];
  /** Check the value of an option before the server starts. */
  readonly checks?: Readonly<Partial<Record<OptionName, StartCheck>>>;
}

/**
 * Reads the options. Precedence: flag, environment, config file, default.
 *
 * @param argv arguments after the program's name
 * @param command the form of the sub-command, if the line calls one
 * @param files the checks of files that only features can read
 * @throws OptionMistakes with every mistake found, so that they can be corrected at once
 */
export function loadOptions(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  command?: CommandForm,
  files: FeatureFiles = {},
): CommandLine {
  const mistakes: string[] = [];
  const { flags, words, own, configFile } = new ArgvReader(command, mistakes).read(argv);
  const taken = takenByNpm(KINDS, env);
  if (taken !== undefined) mistakes.push(taken);
  else if (!command) {
    if (words.length > 0)
      mistakes.push(
        `${words.join(' ')}: there is no such command (see --help; without a command, the server runs)`,
      );
  } else if (command.more ? words.length < command.words : words.length !== command.words) {
    mistakes.push(command.usage);
  }
  const variables = readEnv(env, mistakes);
  const path = configFile ?? env[`${ENV_PREFIX}CONFIG`];
  const file: OptionSources =
    collectMistakes(mistakes, () => readFile(path, mistakes)) ?? new Map();
  for (const sources of [flags, variables, file]) readSecretFiles(sources, mistakes);

  const values: Record<string, unknown> = {};
  const sourceOf = (name: OptionName) => flags.get(name) ?? variables.get(name) ?? file.get(name);
  for (const name of optionNames) {
    const source = sourceOf(name);
    values[name] = source ? valueOf(name, source, mistakes) : optionTypeOf(name).default;
  }
  const isPasswordInFile = sourceOf('adminPassword')?.isInFile === true;
  const options = complete({ ...(values as OptionValues), isPasswordInFile });
  mistakes.push(...conflictsOf(options));
  if (!command) mistakes.push(...startMistakesOf(options, files.checks));
  for (const read of [
    ...(files.readers ?? []),
    readAccounts,
    readConsoleOidc,
    readAuditKey,
    readSecretKeys,
  ])
    collectMistakes(mistakes, () => read(options));
  if (mistakes.length > 0) throw new OptionMistakes(mistakes);
  return { options, words, own };
}

/** The default options with some changes, for tests and tools. */
export function optionsWith(changes: Partial<ServerOptions>): ServerOptions {
  const defaults = Object.fromEntries(
    optionNames.map((name) => [name, optionTypeOf(name).default]),
  );
  return complete({ ...defaults, ...changes } as OptionValues);
}

function complete(values: OptionValues & { isPasswordInFile?: boolean }): ServerOptions {
  const db = values.db ?? `sqlite:${join(values.data, 'servicefido.sqlite')}`;
  return Object.freeze({ ...values, db }) as ServerOptions;
}

/** The mistakes that prevent a server with these options from starting, a line each; skips options that are off. */
function startMistakesOf(options: ServerOptions, checks: FeatureFiles['checks'] = {}): string[] {
  const mistakes: string[] = [];
  const attempt = (name: OptionName, check: () => void) => {
    try {
      check();
    } catch (error) {
      if (!(error instanceof OptionMistake)) throw error;
      mistakes.push(`--${flagName(name)}: ${error.message}`);
    }
  };
  for (const name of optionNames) {
    const check = checks[name] ?? (OPTIONS[name].at(2) as StartCheck | undefined);
    if (!check) continue;
    for (const value of [options[name] ?? []].flat()) attempt(name, () => check(String(value)));
  }
  const { tlsCert, tlsKey } = options;
  const isPair = tlsCert !== undefined && tlsKey !== undefined;
  if (isPair && mistakes.length === 0) attempt('tlsKey', () => keyPair(tlsCert, tlsKey));
  return mistakes;
}

function valueOf(name: OptionName, { label, values }: OptionSource, mistakes: string[]): unknown {
  const type = optionTypeOf(name);
  try {
    if (type.kind === 'list') return values.flatMap((value) => type.parse(value));
    if (values.length !== 1) throw new OptionMistake('was given more than once');
    return type.parse(values[0] ?? '');
  } catch (error) {
    if (!(error instanceof OptionMistake)) throw error;
    mistakes.push(`${label}: ${error.message}`);
    return type.default;
  }
}

function readEnv(env: NodeJS.ProcessEnv, mistakes: string[]): OptionSources {
  const byVariable = new Map(
    [...BY_FLAG.values()].map((name) => [`${ENV_PREFIX}${upperSnake(name)}`, name]),
  );
  const sources: OptionSources = new Map();
  for (const [variable, value] of Object.entries(env)) {
    if (!variable.startsWith(ENV_PREFIX) || ENV_OTHERS.has(variable)) continue;
    const name = byVariable.get(variable);
    if (!name) mistakes.push(`${variable}: ${noSuchOption(variable, byVariable.keys())}`);
    else sources.set(name, { label: variable, values: [value ?? ''] });
  }
  return sources;
}

function readFile(path: string | undefined, mistakes: string[]): OptionSources {
  const sources: OptionSources = new Map();
  if (path === undefined) return sources;
  const content = readYamlFile('--config', path, 'failsafe') || {};
  if (typeof content !== 'object' || Array.isArray(content)) {
    throw new OptionMistakes([`--config: ${path} must hold options by name`]);
  }
  for (const [key, value] of Object.entries(content)) {
    const name = BY_FLAG.get(key);
    const values = (Array.isArray(value) ? value : [value]) as unknown[];
    if (!name) mistakes.push(`${key} in ${path}: ${noSuchOption(key, BY_FLAG.keys())}`);
    else if (values.some((item) => item === null || typeof item === 'object')) {
      mistakes.push(`${key} in ${path}: must be a plain value`);
    } else sources.set(name, { label: `${key} in ${path}`, values: values.map(String) });
  }
  return sources;
}
