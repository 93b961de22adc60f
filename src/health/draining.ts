import { Injectable } from '@nestjs/common';

/** Whether this process still wants requests: load balancers learn it from /health/ready. */
@Injectable()
export class Draining {
  private hasBegun = false;

  /** Announces that this process ends soon. It still answers the requests that arrive. */
  begin(): void {
    this.hasBegun = true;
  }

  /** @throws Error once this process is about to end */
  async check(): Promise<void> {
    if (this.hasBegun) throw new Error('This process is about to end.');
  }
}
