import type { DynamicModule, Type } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { ClockModule, type Clock } from './platform/common/clock.js';
import { loadedOptions, type ServerOptions } from './platform/config/server-config.js';
import { DatabaseModule, type TableMigration } from './platform/database/database.module.js';
import { PresentationModule } from './platform/pages/page.interceptor.js';
import { AccessModule } from './platform/access/access.module.js';

export interface Composition extends TableMigration {
  readonly clock?: Clock;
}

/** Modules that the server and its commands both need: options, clock, database, accounts, pages. */
export const foundation = (
  options: ServerOptions,
  { clock, ...migration }: Composition,
): (Type | DynamicModule | Promise<DynamicModule>)[] => [
  ConfigModule.forRoot({
    isGlobal: true,
    cache: true,
    load: [loadedOptions(options)],
    // Flags, environment and config file have already been read; there is no other source.
    ignoreEnvFile: true,
    skipProcessEnv: true,
  }),
  ClockModule.with(clock),
  DatabaseModule.with(migration),
  AccessModule,
  PresentationModule,
];
