import { registerAs } from '@nestjs/config';
import type { ServerOptions } from './server-options.js';

const NAMESPACE = 'server';

/**
 * The options as a namespace of `@nestjs/config`. Providers inject them with
 * `@Inject(serverOptions.KEY) options: ConfigType<typeof serverOptions>`.
 */
export const serverOptions = registerAs(NAMESPACE, (): ServerOptions => {
  throw new Error('Options are read before Nest starts: ConfigModule loads loaded(options).');
});

/**
 * For `ConfigModule.forRoot`: options that were read, checked and frozen before Nest starts, so that all
 * mistakes are reported together and before anything is opened.
 */
export const loadedOptions = (options: ServerOptions) => registerAs(NAMESPACE, () => options);
