import { Logger } from '@nestjs/common';

/** Work that is done again and again. */
export interface Job {
  /** Milliseconds from the end of one round to the beginning of the next. */
  readonly everyMs: number;
  /** One round. */
  work(): Promise<void>;
  /** Beginning of the log line after a failed round, which says when the work is tried again. */
  readonly again: string;
  /** Context of the log line. */
  readonly context: string;
  /** Level of the log line; `warn` where absent. */
  readonly level?: 'debug' | 'warn';
}

/** Repeats a job, each time a while after it has ended, until it is stopped. A round that fails is logged. */
export class RecurringJob {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private isStopped = false;

  constructor(private readonly job: Job) {}

  /** Whether work of many steps must end before its next step. */
  get stopped(): boolean {
    return this.isStopped;
  }

  /** Begins the first round after a pause; the timer does not keep the process alive. */
  start(pauseMs = this.job.everyMs): void {
    if (this.isStopped) return;
    this.timer = setTimeout(() => {
      void this.catchUp().then(() => this.start());
    }, pauseMs);
    this.timer.unref();
  }

  /** Does a round now, or after the one that is under way. */
  catchUp(): Promise<void> {
    this.running = this.running.then(() => this.round());
    return this.running;
  }

  /** Resolves when the round under way has ended. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private async round(): Promise<void> {
    const { again, context, level = 'warn' } = this.job;
    try {
      await this.job.work();
    } catch (error) {
      Logger[level](`${again}: ${String(error)}`, context);
    }
  }
}
