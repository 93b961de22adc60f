import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { LoggerService } from '@nestjs/common';
import type { ServerOptions } from '../platform/config/server-config.js';

const SQLITE = 'sqlite:';

/** The file of the lines that a server would log for the audit rows of commands; a restore reads it. */
export const commandLogOf = ({ db, data }: ServerOptions): string =>
  join(db.startsWith(SQLITE) ? dirname(db.slice(SQLITE.length)) : data, 'commands.log');

/** Which database a line is about: commands for several ones on database servers may share a folder. */
export function databaseNameOf({ db }: ServerOptions): string {
  if (db.startsWith(SQLITE)) return 'sqlite';
  const { host, pathname } = new URL(db);
  return `${host}${pathname}`;
}

/**
 * The log of a command. It prints only warnings, unformatted; an error is thrown too, and becomes the only printed
 * line. Audit rows go into a file.
 */
export class CommandLog implements LoggerService {
  /** The number of the database's epoch, by which a restore distinguishes rows of the same number. */
  epoch = 0;

  constructor(private readonly options: ServerOptions) {}

  log(msg: unknown, context?: unknown): void {
    if (context !== 'Audit') return;
    const { epoch } = this;
    const database = databaseNameOf(this.options);
    const line = JSON.stringify({ time: Date.now(), context, msg, epoch, database });
    const file = commandLogOf(this.options);
    try {
      mkdirSync(dirname(file), { recursive: true });
      // It names users.
      appendFileSync(file, `${line}\n`, { mode: 0o600 });
    } catch (error) {
      console.error(`The change is made, but not in ${file}: ${String(error)}`);
    }
  }

  warn(message: unknown): void {
    console.error(message);
  }

  error(): void {
    // It is thrown, too.
  }
}
