/** Work that comes round again a while after it has ended, until it is stopped. It must not throw. */
export class Recurring {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private isStopped = false;

  /** @param everyMs from the end of one round to the beginning of the next */
  constructor(
    private readonly work: () => Promise<void>,
    private readonly everyMs: number,
  ) {}

  /** For work of many steps: whether it is to end before its next one. */
  get stopped(): boolean {
    return this.isStopped;
  }

  /** Begins the first round after a pause; keeps no process alive. */
  start(): void {
    if (this.isStopped) return;
    this.timer = setTimeout(() => {
      this.running = this.work().then(() => this.start());
    }, this.everyMs);
    this.timer.unref();
  }

  /** Resolves when the round under way has ended. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.running;
  }
}
