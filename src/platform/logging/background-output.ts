import { write, writeSync } from 'node:fs';

const STDOUT = 1;
/** Characters in one write. Each write wakes a thread of Node.js: at 4 KB that was 2 % of a login's cost. */
const AT_ONCE = 32 * 1024;
const IDLE_MS = 500;
const RETRY_MS = 100;
const LAST_MS = 1000;
/** Maximum number of waiting characters; further lines are lost. */
const MAX = 8 * 1024 * 1024;

/**
 * Standard output, written in the background. If the disk is full, or the pipe has no reader, lines are lost and the
 * service continues. pino's own destination would end the process on such an error, or delay its exit while it
 * waits for the write.
 */
export class BackgroundOutput {
  private waiting = '';
  private writing = false;
  private failing = false;
  private ended: (() => void) | undefined;

  constructor() {
    setInterval(() => this.next(), IDLE_MS).unref();
    process.once('exit', () => this.leave());
  }

  write(line: string): void {
    if (this.waiting.length > MAX) return;
    this.waiting += line;
    if (this.waiting.length >= AT_ONCE) this.next();
  }

  /** @param done called when everything is written, or after a second at the latest */
  flush(done: () => void): void {
    const limit = setTimeout(done, LAST_MS);
    this.ended = () => {
      clearTimeout(limit);
      done();
    };
    this.next();
  }

  private next(): void {
    if (this.writing) return;
    if (this.waiting === '') return this.ended?.();
    const bytes = Buffer.from(this.waiting);
    this.waiting = '';
    this.send(bytes);
  }

  private send(bytes: Buffer): void {
    this.writing = true;
    write(STDOUT, bytes, (error, written) => {
      if (error) {
        this.complain(error);
        setTimeout(() => this.send(bytes), RETRY_MS).unref();
        return;
      }
      this.failing = false;
      if (written < bytes.length) return this.send(bytes.subarray(written));
      this.writing = false;
      if (this.ended || this.waiting.length >= AT_ONCE) this.next();
    });
  }

  /** Reports a failure once on standard error; a full pipe (EAGAIN) is not reported. */
  private complain({ code }: NodeJS.ErrnoException): void {
    if (code === 'EAGAIN' || this.failing) return;
    this.failing = true;
    process.stderr.write(`The log cannot be written (${code}): lines are lost until it can.\n`);
  }

  /** Tries once more to write the waiting lines, even if the process crashes. */
  private leave(): void {
    try {
      writeSync(STDOUT, this.waiting);
    } catch {
      // These lines are lost.
    }
  }
}
