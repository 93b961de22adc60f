import { Injectable, Global, Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';

/** The time, injected so that tests of expiry move it instead of sleeping. */
@Injectable()
export class Clock {
  /** Milliseconds since 1970. */
  now(): number {
    return Date.now();
  }
}

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
