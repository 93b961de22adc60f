import { Injectable } from '@nestjs/common';

/** Whether this process still accepts new requests; load balancers poll /health/ready. */
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
