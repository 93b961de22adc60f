import { Injectable } from '@nestjs/common';

/** Knows whether this process still takes new requests; load balancers ask /health/ready. */
@Injectable()
export class Lifecycle {
  private leaving = false;

  get draining(): boolean {
    return this.leaving;
  }

  drain(): void {
    this.leaving = true;
  }
}
