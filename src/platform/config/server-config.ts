import { registerAs } from '@nestjs/config';
import type { OptionValues } from './server-options.js';

const NAMESPACE = 'server';

/** The options of one process: typed, checked, frozen. */
export type ServerOptions = Omit<OptionValues, 'db'> & {
  readonly db: string;
  /** Whether `adminPassword` came from the file of `--admin-password-file`. */
  readonly isPasswordInFile?: boolean;
};

/**
 * The options as a namespace of `@nestjs/config`. Providers inject them with
 * `@Inject(serverOptions.KEY) options: ServerOptions`.
 */
export const serverOptions = registerAs(NAMESPACE, (): ServerOptions => {
  throw new Error('Options are read before Nest starts: ConfigModule loads loaded(options).');
});

/**
 * For `ConfigModule.forRoot`: options that were read, checked and frozen before Nest starts, so that all
 * mistakes are reported together and before anything is opened.
 */
export const loadedOptions = (options: ServerOptions) => registerAs(NAMESPACE, () => options);
