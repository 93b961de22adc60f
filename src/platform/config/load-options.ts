import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { closestName } from '../common/closest-name.js';
import { readAccounts } from './files/accounts-file.js';
import { readConsoleOidc } from './files/console-oidc-file.js';
import { readAuditKey, readSecretKeys } from './files/key-files.js';
import { readYamlFile } from './files/option-file.js';
import {
  OptionMistake,
  OptionMistakes,
  collectMistakes,
  isSwitchWord,
  textOption,
  type OptionType,
} from './option-types.js';
import {
  SECRET_FILES,
  readSecretFiles,
  type SecretFile,
  type OptionSource,
} from './files/secret-files.js';
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

interface CommandForm {
  /** Its own flags, without dashes. One with the name of an option replaces it on the command line. */
  readonly flags: readonly string[];
  /** Its own flags whose values are lists, without dashes. They can be given more than once. */
  readonly lists?: readonly string[];
  /** Its own flags without a value, without dashes. */
  readonly switches: readonly string[];
  /** How many arguments it takes, and whether the last one may be repeated. */
  readonly words: number;
  readonly more?: boolean;
  readonly usage: string;
}

type Sources = Map<OptionName | SecretFile, OptionSource>;

const upperSnake = (name: string) => flagName(name).replaceAll('-', '_').toUpperCase();
const typeOf = (name: OptionName | SecretFile): OptionType<unknown> =>
  name in OPTIONS ? OPTIONS[name as OptionName][0] : textOption;
const NAMES = Object.keys(OPTIONS) as OptionName[];
const BY_FLAG = new Map<string, OptionName | SecretFile>([
  ...NAMES.map((name) => [flagName(name), name] as const),
  ...SECRET_FILES,
]);
/** The kind of each option, by its name as a flag. */
const KINDS = new Map<string, OptionType<unknown>['kind']>([
  ...[...BY_FLAG].map(([flag, name]) => [flag, typeOf(name).kind] as const),
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
  const { flags, words, own, configFile } = readArgv(argv, command, mistakes);
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
  const file: Sources = collectMistakes(mistakes, () => readFile(path, mistakes)) ?? new Map();
  for (const sources of [flags, variables, file]) readSecretFiles(sources, mistakes);

  const values: Record<string, unknown> = {};
  const sourceOf = (name: OptionName) => flags.get(name) ?? variables.get(name) ?? file.get(name);
  for (const name of NAMES) {
    const source = sourceOf(name);
    values[name] = source ? valueOf(name, source, mistakes) : typeOf(name).default;
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
  const defaults = Object.fromEntries(NAMES.map((name) => [name, typeOf(name).default]));
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
  for (const name of NAMES) {
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
  const type = typeOf(name);
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

/** Whether a flag takes the argument after it as its value: an option, or one of a command's own flags. */
export function takesValue(flag: string, next: string, ownFlags: ReadonlySet<string>): boolean {
  const name = BY_FLAG.get(flag);
  if (name && typeOf(name).kind === 'switch') return isSwitchWord(next);
  return name !== undefined || flag === 'config' || ownFlags.has(flag);
}

/** No argument of a process contains a NUL. */
const ESCAPED_DASH = '\0';
const plain = (arg: string): string => arg.replace(ESCAPED_DASH, '-');

function readArgv(argv: readonly string[], command: CommandForm | undefined, mistakes: string[]) {
  const { lists = [], switches = [] } = command ?? {};
  const ownFlags = [...(command?.flags ?? []), ...lists];
  const kinds = Object.fromEntries(
    [...BY_FLAG].map(([flag, name]) => {
      const type: 'boolean' | 'string' = typeOf(name).kind === 'switch' ? 'boolean' : 'string';
      return [flag, { type }];
    }),
  );
  const { tokens } = parseArgs({
    // Names and IDs of keys may begin with a dash. parseArgs would split such a word into letters.
    args: command ? argv.map((arg) => arg.replace(/^-(?=[^-])/, ESCAPED_DASH)) : [...argv],
    options: {
      ...kinds,
      config: { type: 'string' },
      ...Object.fromEntries(ownFlags.map((flag) => [flag, { type: 'string' as const }])),
      ...Object.fromEntries(switches.map((flag) => [flag, { type: 'boolean' as const }])),
    },
    strict: false,
    tokens: true,
  });
  const flags: Sources = new Map();
  const own = new Map<string, string>();
  const words: string[] = [];
  let configFile: string | undefined;
  for (let i = 0; i < tokens.length; i += 1) {
    const token = tokens[i];
    if (token?.kind === 'positional') words.push(plain(token.value));
    if (token?.kind !== 'option') continue;
    const isOwn = ownFlags.includes(token.name);
    const name = isOwn ? undefined : BY_FLAG.get(token.name);
    const next = tokens[i + 1];
    // parseArgs takes the next argument as the value, even if it is a flag.
    let value = !token.inlineValue && token.value?.startsWith('--') ? undefined : token.value;
    if (value !== undefined) value = plain(value);
    if (name && value === undefined && typeOf(name).kind === 'switch') {
      // A bare switch means "on"; `--verify off` arrives as a switch and a word.
      // If no command has words, the next one can only be the switch's value.
      const takesWord = next?.kind === 'positional' && (!command || isSwitchWord(next.value));
      value = takesWord ? next.value : 'on';
      if (takesWord) i += 1;
    }
    if (name && value !== undefined) {
      const source = flags.get(name) ?? { label: `--${token.name}`, values: [] };
      source.values.push(value);
      flags.set(name, source);
    } else if (token.name === 'config' && value !== undefined) configFile = value;
    else if (switches.includes(token.name)) own.set(token.name, 'on');
    else if (isOwn && value !== undefined) {
      const former = own.get(token.name);
      const isAgain = former !== undefined && !lists.includes(token.name);
      if (isAgain) mistakes.push(`${token.rawName}: was given more than once`);
      own.set(token.name, former === undefined ? value : `${former},${value}`);
    } else {
      const isKnown = name ?? (token.name === 'config' || isOwn);
      const known = [...BY_FLAG.keys(), 'config', ...ownFlags, ...switches];
      const mistake = isKnown ? 'needs a value' : noSuchOption(token.name, known, '--');
      mistakes.push(`${token.rawName}: ${mistake}`);
      // The next argument was probably meant as its value, or as the one of a flag that parseArgs took as the value.
      if (next?.kind === 'positional') i += 1;
    }
  }
  return { flags, own, words, configFile };
}

function noSuchOption(name: string, known: Iterable<string>, prefix = ''): string {
  const meant = closestName(name, known);
  return `there is no such option (${meant ? `did you mean ${prefix}${meant}?` : 'see --help'})`;
}

function readEnv(env: NodeJS.ProcessEnv, mistakes: string[]): Sources {
  const byVariable = new Map(
    [...BY_FLAG.values()].map((name) => [`${ENV_PREFIX}${upperSnake(name)}`, name]),
  );
  const sources: Sources = new Map();
  for (const [variable, value] of Object.entries(env)) {
    if (!variable.startsWith(ENV_PREFIX) || ENV_OTHERS.has(variable)) continue;
    const name = byVariable.get(variable);
    if (!name) mistakes.push(`${variable}: ${noSuchOption(variable, byVariable.keys())}`);
    else sources.set(name, { label: variable, values: [value ?? ''] });
  }
  return sources;
}

function readFile(path: string | undefined, mistakes: string[]): Sources {
  const sources: Sources = new Map();
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
