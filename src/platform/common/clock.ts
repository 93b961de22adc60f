import { Injectable, Global, Module, type DynamicModule } from '@nestjs/common';

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

/**
 * Whether a window in which something is counted is over: it has ended, or its end lies so far ahead that the
 * clock was put back since it began. Otherwise it would last as much longer as the clock was wrong.
 *
 * @param until its end, in milliseconds since 1970
 * @param length how long it lasts, in milliseconds
 */
export const isOver = (until: number, now: number, length: number): boolean =>
  until <= now || until - now > 2 * length;
