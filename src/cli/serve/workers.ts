import cluster, { type Worker } from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { MINUTE_MS, SECOND_MS } from '../../platform/common/durations.js';
import { workerEnvironment } from '../../health/setup/setup-log.js';

/** The longest pause before a worker is replaced. */
const MAX_PAUSE_SECONDS = 30;

/**
 * The workers of the first process. Each that dies is replaced: the first at once, and those that die within a minute
 * of another after a pause that grows, since the cause may pass (a certificate without its key, too little memory).
 * While no other one listens, the pause is a second at most. If one cannot start then, all end with its exit code: a
 * service manager can act, and no client waits.
 */
export class Workers {
  private readonly log = new Logger(Workers.name);
  private readonly listening = new Set<number>();
  private readonly stopping = new AbortController();
  /** Of the monotonic clock, in ms. */
  private lastDeathAt = -Infinity;
  private pauseSeconds = 0;
  /** The worker that logs setup problems. */
  private setupLogger: number | undefined;

  /**
   * Starts them.
   *
   * @param onAllListening called once, with the port that they share
   */
  start(count: number, onAllListening: (port: number) => void): void {
    let isAnnounced = false;
    cluster.on('listening', ({ id }, { port }) => {
      this.listening.add(id);
      if (isAnnounced || this.listening.size < count) return;
      isAnnounced = true;
      onAllListening(port);
    });
    cluster.on('exit', (worker, code: number | null, signal: string | null) => {
      const hasListened = this.listening.delete(worker.id);
      if (!this.stopping.signal.aborted) this.replace(worker, { code, signal, hasListened });
    });
    for (let n = 0; n < count; n += 1) this.fork(n === 0);
  }

  /** Asks them to stop, and starts no other one. */
  stop(): void {
    this.stopping.abort();
    for (const worker of Object.values(cluster.workers ?? {})) worker?.kill('SIGTERM');
  }

  private fork(logsSetup: boolean): void {
    const { id } = cluster.fork(workerEnvironment({ logsSetup }));
    if (logsSetup) this.setupLogger = id;
  }

  private replace({ id }: Worker, { code, signal, hasListened }: End): void {
    const how = signal ?? `code ${code}`;
    const report = `A worker ended with ${how}${hasListened ? '' : ' before it listened'}`;
    if (!hasListened && this.listening.size === 0) {
      this.log.error(`${report}, and no other one listens: the server ends.`);
      // A worker that was asked to end exits with 0, which would not be a failure.
      process.exitCode = code || 1;
      return this.stop();
    }
    const pauseSeconds = this.nextPauseSeconds();
    const othersServe = this.listening.size > 0;
    const seconds = othersServe ? pauseSeconds : Math.min(pauseSeconds, 1);
    this.log.error(`${report}; the next one starts in ${seconds} s.`);
    const logsSetup = id === this.setupLogger;
    pause(seconds * SECOND_MS, undefined, { signal: this.stopping.signal }).then(
      () => this.fork(logsSetup),
      () => undefined,
    );
  }

  private nextPauseSeconds(): number {
    const now = performance.now();
    const isSoonAfterAnother = now - this.lastDeathAt < MINUTE_MS;
    this.lastDeathAt = now;
    this.pauseSeconds = isSoonAfterAnother
      ? Math.min(this.pauseSeconds * 2 || 1, MAX_PAUSE_SECONDS)
      : 0;
    return this.pauseSeconds;
  }
}

/** How a worker ended. */
interface End {
  readonly code: number | null;
  readonly signal: string | null;
  readonly hasListened: boolean;
}
