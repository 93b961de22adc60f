import type { OnModuleDestroy } from '@nestjs/common';

/**
 * Rows that no request waits for: a provider collects them in memory and stores them together, a while after the first
 * one was added, and when the module stops. The timer does not keep the process alive.
 */
export abstract class BufferedWrites implements OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;
  private lastFlush: Promise<void> = Promise.resolve();

  /** @param flushMs milliseconds from the first row until all are stored */
  constructor(private readonly flushMs: number) {}

  /** Stores all collected rows and logs those that it loses; must not reject. */
  protected abstract store(): Promise<void>;

  async onModuleDestroy(): Promise<void> {
    clearTimeout(this.timer);
    await this.flush();
  }

  /** Call it when a row was added. */
  protected flushLater(): void {
    this.timer ??= setTimeout(() => void this.flush(), this.flushMs).unref();
  }

  /** Resolves when all collected rows are stored or lost. */
  flush(): Promise<void> {
    this.timer = undefined;
    this.lastFlush = this.lastFlush.then(() => this.store());
    return this.lastFlush;
  }
}
