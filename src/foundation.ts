import type { DynamicModule, Type } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { ClockModule, type Clock } from './platform/common/clock.js';
import { loaded } from './platform/config/server-config.js';
import type { ServerOptions } from './platform/config/server-options.js';
import { DatabaseModule, type CheckOfOptions } from './platform/database/database.module.js';
import { PresentationModule } from './platform/pages/presentation.module.js';
import { AccessModule } from './platform/access/access.module.js';

/** How the application is put together besides its options. */
export interface Composition {
  readonly clock?: Clock;
  /** Whether it brings the database's tables up to date (the server), or refuses older ones (commands). */
  readonly migrates: boolean;
  /** What the server checks before the tables change; a restore opens files whatever their keys are. */
  readonly check?: CheckOfOptions;
}

/** Modules that the server and its commands both need: options, clock, database, accounts, pages. */
export const foundation = (
  options: ServerOptions,
  { clock, migrates, check }: Composition,
): (Type | DynamicModule | Promise<DynamicModule>)[] => [
  ConfigModule.forRoot({
    isGlobal: true,
    cache: true,
    load: [loaded(options)],
    // Flags, environment and config file have been read; there is no other source.
    ignoreEnvFile: true,
    skipProcessEnv: true,
  }),
  ClockModule.with(clock),
  DatabaseModule.with(migrates, check),
  AccessModule,
  PresentationModule,
];
