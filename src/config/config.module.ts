import { Global, Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { SERVER_OPTIONS } from './server-options.js';
import type { ServerOptions } from './server-options.js';

/** The options and the clock, for everybody. */
@Global()
@Module({})
export class ConfigModule {
  static with(options: ServerOptions, clock = new Clock()): DynamicModule {
    return {
      module: ConfigModule,
      providers: [
        { provide: SERVER_OPTIONS, useValue: options },
        { provide: Clock, useValue: clock },
      ],
      exports: [SERVER_OPTIONS, Clock],
    };
  }
}
