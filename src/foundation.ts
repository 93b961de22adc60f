import type { DynamicModule, Type } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import type { Clock } from './common/clock.js';
import { ClockModule } from './common/clock.module.js';
import { loaded } from './config/server-config.js';
import type { ServerOptions } from './config/server-options.js';
import { DatabaseModule } from './database/database.module.js';
import { PresentationModule } from './presentation/presentation.module.js';
import { SecurityModule } from './security/security.module.js';

/** Modules that the server and its commands both need: options, clock, database, accounts, pages. */
export const foundation = (
  options: ServerOptions,
  clock?: Clock,
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
  DatabaseModule,
  SecurityModule,
  PresentationModule,
];
