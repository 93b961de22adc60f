import { Injectable, Global, Module, type DynamicModule } from '@nestjs/common';

/** The time, injected so that tests move it, or let it pass faster, instead of sleeping. */
@Injectable()
export class Clock {
  /** Milliseconds since 1970. */
  now(): number {
    return Date.now();
  }

  /** Milliseconds of a monotonic clock. */
  elapsed(): number {
    return performance.now();
  }

  /** The milliseconds that a timer of Node.js must run while `ms` pass by `elapsed`. */
  timer(ms: number): number {
    return ms;
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
 * Whether a counting window is over: it has ended, or its end is so far ahead that the clock was set back since it
 * began. Otherwise it would last longer by the error of the clock.
 *
 * @param until its end, in milliseconds since 1970
 * @param length its length, in milliseconds
 */
export const isWindowOver = (until: number, now: number, length: number): boolean =>
  until <= now || until - now > 2 * length;
