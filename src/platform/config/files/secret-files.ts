import { isUtf8 } from 'node:buffer';
import { collectMistakes } from '../option-types.js';
import { flagName, type OptionName } from '../server-options.js';
import { readOptionFile } from './option-file.js';

/** Options that contain a secret: passwords and keys, and URLs that contain one. */
const SECRETS = ['adminPassword', 'db', 'sessions', 'metricsKey'] as const satisfies OptionName[];

type Secret = (typeof SECRETS)[number];
/** The option that names a file with the value of such an option. */
export type SecretFile = `${Secret}File`;

/** The value of an option in one place: the command line, the environment or the config file. */
export interface OptionSource {
  /** Where to look for a mistake: `--port`, `SERVICEFIDO_PORT` or `port in FILE`. */
  readonly label: string;
  readonly values: string[];
  /** Set if a file contains the value, and this place only the file's name. */
  readonly isInFile?: true;
}

const fileOf = (name: Secret): SecretFile => `${name}File`;

/** Flags, for example `admin-password-file`, with the names of their options. */
export const SECRET_FILES: readonly (readonly [string, SecretFile])[] = SECRETS.map((name) => [
  flagName(fileOf(name)),
  fileOf(name),
]);

/**
 * Sets options from the files that one source names for them. A line break at the end of a file is removed: editors
 * and `echo` add one.
 */
export function readSecretFiles(
  sources: Map<OptionName | SecretFile, OptionSource>,
  mistakes: string[],
): void {
  for (const name of SECRETS) {
    const file = sources.get(fileOf(name));
    if (!file) continue;
    const plain = sources.get(name);
    if (plain) {
      mistakes.push(`${file.label}: ${plain.label} is given too; one of them is enough`);
      continue;
    }
    const [path = ''] = file.values;
    const bytes = collectMistakes(mistakes, () => readOptionFile(file.label, path));
    if (!bytes) continue;
    // Other bytes would all become the same replacement character.
    if (!isUtf8(bytes)) {
      mistakes.push(`${file.label}: ${path} must be UTF-8`);
      continue;
    }
    const content = bytes.toString('utf8').replace(/\r?\n$/, '');
    sources.set(name, { label: `${file.label} ${path}`, values: [content], isInFile: true });
  }
}
