import { Injectable } from '@nestjs/common';

@Injectable()
export class Lifecycle {
  /** Whether this process no longer accepts new requests; load balancers poll /health/ready. */
  draining = false;
}
