import { readFileSync } from 'node:fs';
import { flagOf } from './server-options.js';
import type { OptionName } from './server-options.js';

/** Options that hold a secret: passwords, and URLs that have one in them. */
export const SECRETS = [
  'adminPassword',
  'db',
  'sessions',
  'metricsKey',
] as const satisfies OptionName[];

type Secret = (typeof SECRETS)[number];
/** The twin of such an option: the path of a file that holds its value. */
export type SecretFile = `${Secret}File`;

/** What one place (the command line, the environment, the config file) says of an option. */
export interface Source {
  /** Where a mistake is to be looked for: `--port`, `SERVICEFIDO_PORT` or `port in FILE`. */
  readonly label: string;
  readonly values: string[];
}

export const fileOf = (name: Secret): SecretFile => `${name}File`;

/** The twins by flag: `admin-password-file`. */
export const SECRET_FILES: readonly (readonly [string, SecretFile])[] = SECRETS.map((name) => [
  flagOf(fileOf(name)),
  fileOf(name),
]);

/**
 * Puts what the files hold in the place of the options, in what one place says. A line break at the
 * end of a file does not count: editors and `echo` leave one.
 */
export function readSecretFiles(
  sources: Map<OptionName | SecretFile, Source>,
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
    try {
      const content = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
      sources.set(name, { label: `${file.label} ${path}`, values: [content] });
    } catch {
      mistakes.push(`${file.label}: ${path} cannot be read`);
    }
  }
}
