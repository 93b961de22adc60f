import { Global, Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { Clock } from './clock.js';

/** Provides the clock to all modules; tests provide their own. */
@Global()
@Module({})
export class ClockModule {
  static with(clock = new Clock()): DynamicModule {
    return {
      module: ClockModule,
      providers: [{ provide: Clock, useValue: clock }],
      exports: [Clock],
    };
  }
}
