import { Global, Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { Clock } from './clock.js';

/** The clock, for everybody. */
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
