/** Repeats some work, each time a while after it has ended, until it is stopped. The work must not throw. */
export class RecurringJob {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private isStopped = false;

  /** @param everyMs from the end of one round to the beginning of the next */
  constructor(
    private readonly work: () => Promise<void>,
    private readonly everyMs: number,
  ) {}

  /** Whether work of many steps must end before its next step. */
  get stopped(): boolean {
    return this.isStopped;
  }

  /** Begins the first round after a pause; the timer does not keep the process alive. */
  start(): void {
    if (this.isStopped) return;
    this.timer = setTimeout(() => {
      void this.catchUp().then(() => this.start());
    }, this.everyMs);
    this.timer.unref();
  }

  /** Does a round now, or after the one that is under way. */
  catchUp(): Promise<void> {
    this.running = this.running.then(() => this.work());
    return this.running;
  }

  /** Resolves when the round under way has ended. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.running;
  }
}
