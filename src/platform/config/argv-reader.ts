import { parseArgs } from 'node:util';
import { closestName } from '../common/closest-name.js';
import { SECRET_FILES, type OptionSource, type SecretFile } from './files/secret-files.js';
import { isSwitchWord, textOption, type OptionType } from './option-types.js';
import { OPTIONS, flagName, type OptionName } from './server-options.js';

export interface CommandForm {
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

export type OptionSources = Map<OptionName | SecretFile, OptionSource>;

export const optionNames = Object.keys(OPTIONS) as OptionName[];

/** The options by flag, without dashes. */
export const BY_FLAG = new Map<string, OptionName | SecretFile>([
  ...optionNames.map((name) => [flagName(name), name] as const),
  ...SECRET_FILES,
]);

export const optionTypeOf = (name: OptionName | SecretFile): OptionType<unknown> =>
  name in OPTIONS ? OPTIONS[name as OptionName][0] : textOption;

const isSwitch = (name: OptionName | SecretFile): boolean => optionTypeOf(name).kind === 'switch';

/** Whether a flag takes the argument after it as its value: an option, or one of a command's own flags. */
export function takesValue(flag: string, next: string, ownFlags: ReadonlySet<string>): boolean {
  const name = BY_FLAG.get(flag);
  if (name && isSwitch(name)) return isSwitchWord(next);
  return name !== undefined || flag === 'config' || ownFlags.has(flag);
}

export function noSuchOption(name: string, known: Iterable<string>, prefix = ''): string {
  const meant = closestName(name, known);
  return `there is no such option (${meant ? `did you mean ${prefix}${meant}?` : 'see --help'})`;
}

/** Reads the arguments after the program's name. */
export class ArgvReader {
  /** The options that were given. */
  readonly flags: OptionSources = new Map();
  /** The values of the command's own flags; see `CommandLine`. */
  readonly own = new Map<string, string>();
  readonly words: string[] = [];
  configFile: string | undefined;
  private readonly lists: readonly string[];
  private readonly switches: readonly string[];
  /** The command's own flags with a value. */
  private readonly ownFlags: readonly string[];

  /** @param mistakes is extended by those of the arguments */
  constructor(
    private readonly command: CommandForm | undefined,
    private readonly mistakes: string[],
  ) {
    const { flags = [], lists = [], switches = [] } = command ?? {};
    this.lists = lists;
    this.switches = switches;
    this.ownFlags = [...flags, ...lists];
  }

  read(argv: readonly string[]): this {
    const tokens = this.tokensOf(argv);
    for (let token = tokens.shift(); token; token = tokens.shift()) {
      if (token.kind === 'positional') this.words.push(plain(token.value));
      if (token.kind !== 'option') continue;
      const [next] = tokens;
      const nextWord = next?.kind === 'positional' ? next.value : undefined;
      if (this.readFlag(token, nextWord) === 'with-word') tokens.shift();
    }
    return this;
  }

  private tokensOf(argv: readonly string[]) {
    const withValue = { type: 'string' } as const;
    const withoutValue = { type: 'boolean' } as const;
    const { tokens } = parseArgs({
      // Names and IDs of keys may begin with a dash. parseArgs would split such a word into letters.
      args: this.command ? argv.map((arg) => arg.replace(/^-(?=[^-])/, ESCAPED_DASH)) : [...argv],
      options: Object.fromEntries([
        ...[...BY_FLAG].map(([flag, name]) => [flag, isSwitch(name) ? withoutValue : withValue]),
        ...['config', ...this.ownFlags].map((flag) => [flag, withValue]),
        ...this.switches.map((flag) => [flag, withoutValue]),
      ]),
      strict: false,
      tokens: true,
    });
    return tokens;
  }

  /** @returns whether the next word belongs to the flag */
  private readFlag(token: FlagToken, nextWord: string | undefined): 'with-word' | 'alone' {
    const value = valueIn(token);
    const option = this.optionOf(token.name);
    if (value === undefined && option && isSwitch(option)) {
      // A bare switch means "on"; `--verify off` arrives as a switch and a word.
      // If no command has words, the next one can only be the switch's value.
      const takesWord = nextWord !== undefined && (!this.command || isSwitchWord(nextWord));
      this.addToOption(option, token.name, takesWord ? nextWord : 'on');
      return takesWord ? 'with-word' : 'alone';
    }
    if (this.store(token, value)) return 'alone';
    this.mistakes.push(`${token.rawName}: ${this.mistakeIn(token)}`);
    // The next word was probably meant as its value, or as the one of a flag that parseArgs took as the value.
    return nextWord === undefined ? 'alone' : 'with-word';
  }

  /** The option of a flag, unless the command has one of this name. */
  private optionOf(flag: string): OptionName | SecretFile | undefined {
    return this.ownFlags.includes(flag) ? undefined : BY_FLAG.get(flag);
  }

  /** @returns `false` if there is no such flag, or it lacks its value */
  private store(token: FlagToken, value: string | undefined): boolean {
    const { name: flag } = token;
    const option = this.optionOf(flag);
    if (option && value !== undefined) this.addToOption(option, flag, value);
    else if (flag === 'config' && value !== undefined) this.configFile = value;
    else if (this.switches.includes(flag)) this.own.set(flag, 'on');
    else if (this.ownFlags.includes(flag) && value !== undefined) this.addToOwn(token, value);
    else return false;
    return true;
  }

  private addToOption(option: OptionName | SecretFile, flag: string, value: string): void {
    const source = this.flags.get(option) ?? { label: `--${flag}`, values: [] };
    source.values.push(value);
    this.flags.set(option, source);
  }

  private addToOwn({ name: flag, rawName }: FlagToken, value: string): void {
    const former = this.own.get(flag);
    const isAgain = former !== undefined && !this.lists.includes(flag);
    if (isAgain) this.mistakes.push(`${rawName}: was given more than once`);
    this.own.set(flag, former === undefined ? value : `${former},${value}`);
  }

  private mistakeIn({ name: flag }: FlagToken): string {
    const withValue = [...BY_FLAG.keys(), 'config', ...this.ownFlags];
    if (withValue.includes(flag)) return 'needs a value';
    return noSuchOption(flag, [...withValue, ...this.switches], '--');
  }
}

interface FlagToken {
  /** Without dashes. */
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

/** No argument of a process contains a NUL. */
const ESCAPED_DASH = '\0';
const plain = (arg: string): string => arg.replace(ESCAPED_DASH, '-');

/** The value of a flag. parseArgs takes the next argument as the value, even if it is a flag. */
function valueIn({ value, inlineValue }: FlagToken): string | undefined {
  const isFlag = !inlineValue && value?.startsWith('--');
  return value === undefined || isFlag ? undefined : plain(value);
}
