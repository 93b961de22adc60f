import { Injectable } from '@nestjs/common';

/** The time, injected so that tests of expiry move it instead of sleeping. */
@Injectable()
export class Clock {
  /** Milliseconds since 1970. */
  now(): number {
    return Date.now();
  }
}
