import { SECRET_FILES } from '../platform/config/files/secret-files.js';
import { OPTIONS, flagOf } from '../platform/config/server-options.js';

/** What the help says about a command: the words behind it, and what it does. */
type Described = Readonly<Record<'words' | 'summary', string>>;

function defaultOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? ' (on)' : ' (off)';
  return value === undefined || Array.isArray(value) ? '' : ` (${String(value)})`;
}

/** What `--help` prints, made from the tables of options and commands. */
export function helpText(described: Readonly<Record<string, Described>>): string {
  const options = Object.entries(OPTIONS).map(
    ([name, [type, meaning]]) =>
      `  --${flagOf(name).padEnd(18)} ${meaning}${defaultOf(type.default)}`,
  );
  const commands = Object.entries(described).map(
    ([name, { words, summary }]) => `  ${`${name} ${words}`.padEnd(38)} ${summary}`,
  );
  return [
    'servicefido [options]            runs the server',
    'servicefido <command> [options]  administers its database',
    '',
    'Options (also SERVICEFIDO_* in the environment, and keys of the --config FILE):',
    `  --${'config'.padEnd(18)} YAML or JSON file with options`,
    ...options,
    `  Secrets can stand in files: ${SECRET_FILES.map(([flag]) => `--${flag}`).join(', ')}`,
    '',
    'Commands:',
    ...commands,
  ].join('\n');
}
