import { Inject, Logger, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Clock } from './clock.js';
import { isServing } from './serving.js';

export interface JobSettings {
  /** Milliseconds from the end of one round to the beginning of the next. */
  readonly everyMs: number;
  /** Beginning of the log line after a failed round, which says when the work is retried. */
  readonly retryMessage: string;
  /** Level of the log line; `warn` by default. */
  readonly level?: 'debug' | 'warn';
  /** Whether commands do it too: only for work that changes nothing but the memory of its own process. */
  readonly inCommands?: true;
}

/**
 * Work that a server repeats, each time a while after it has ended, until the module stops. Failed rounds are logged.
 */
export abstract class RecurringJob implements OnModuleDestroy {
  @Inject(Clock) protected readonly clock!: Clock;
  @Inject(HttpAdapterHost) private readonly host!: HttpAdapterHost;
  private timer: NodeJS.Timeout | undefined;
  private lastRound: Promise<void> = Promise.resolve();
  private shuttingDown = false;

  constructor(private readonly settings: JobSettings) {}

  protected abstract work(): Promise<void>;

  /** Does the work of a round; a subclass can do more around it. */
  protected attempt(): Promise<void> {
    return this.work();
  }

  /** Resolves when the current round has ended. */
  async onModuleDestroy(): Promise<void> {
    this.shuttingDown = true;
    clearTimeout(this.timer);
    await this.lastRound;
  }

  /** Whether the process is ending: work of many steps ends before its next step. */
  protected get isShuttingDown(): boolean {
    return this.shuttingDown;
  }

  /**
   * Begins the first round after a pause; the timer does not keep the process alive. Does nothing in a command, which
   * does such work only if it calls it.
   */
  protected start(pauseMs = this.settings.everyMs): void {
    if (this.shuttingDown || !(this.settings.inCommands || isServing(this.host))) return;
    this.timer = setTimeout(() => {
      void this.runNow().then(() => this.start());
    }, this.clock.timer(pauseMs));
    this.timer.unref();
  }

  /** Runs a round now, or after the current one; logs its failure. */
  runNow(): Promise<void> {
    this.lastRound = this.lastRound.then(() => this.round());
    return this.lastRound;
  }

  private async round(): Promise<void> {
    const { retryMessage, level = 'warn' } = this.settings;
    try {
      await this.attempt();
    } catch (error) {
      Logger[level](`${retryMessage}: ${String(error)}`, this.constructor.name);
    }
  }
}
