import { createReadStream, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { loggedRowIn } from '../../audit/audit-trail.js';
import type { ChainHead } from '../../audit/chain/chain.js';
import type { ServerOptions } from '../../platform/config/server-config.js';
import { messageOfError } from '../../platform/errors/driver-errors.js';
import { commandLogOf, databaseNameOf } from '../command-log.js';
import { formerRows, type DatedLoggedRow } from './former-database.js';

interface LoggedChanges {
  /** A line for each revoked key or right and each deleted user, oldest first. */
  readonly revoked: readonly string[];
  /**
   * Why the list may be incomplete; `undefined` if every row from the backup to the end of the log is known, and the
   * log has one of them.
   */
  readonly gap: string | undefined;
  /** Why the former database could not be read. */
  readonly unread?: string;
}

interface ChangeSources {
  /** The server's log, or the concatenated logs of several instances. */
  readonly log: string | undefined;
  /** The SQLite database that the backup replaces, if there is one. */
  readonly former?: string | undefined;
  /** The options of the commands, which say where their log is. */
  readonly options: ServerOptions;
}

/**
 * Reads what was changed since a backup from the server's log, the log of the commands and the former database.
 *
 * @param head the last row of the audit trail in the backup
 * @param epoch the number of the backup's epoch
 * @throws Error if the log cannot be read
 */
export async function readChanges(
  { log, former, options }: ChangeSources,
  head: ChainHead,
  epoch: number,
): Promise<LoggedChanges> {
  const given = log === undefined ? [] : await rowsOf(log);
  const found: DatedLoggedRow[] = [...given];
  const commands = commandLogOf(options);
  if (existsSync(commands)) {
    const database = databaseNameOf(options);
    const isOurs = (line: LogLine) => line.database === database && Number(line.epoch) >= epoch;
    found.push(...(await rowsOf(commands, isOurs)));
  }
  const unread = former === undefined ? undefined : readFormer(former, head, found);
  const later = found.filter((row) => row.seq > head.seq);
  later.sort((a, b) => a.seq - b.seq || a.time - b.time);
  const rows = [...new Map(later.map((row) => [`${row.seq} ${row.hash}`, row])).values()];
  const gap =
    log === undefined
      ? 'no log was given (--log FILE)'
      : (doubtAbout(given.filter(isOfServer), head) ?? gapIn(rows, head));
  return { revoked: rows.flatMap(lineOf), gap, ...(unread !== undefined && { unread }) };
}

/** Adds the rows of the former database. @returns why it could not be read: it may be the reason for the restore */
function readFormer(file: string, head: ChainHead, found: DatedLoggedRow[]): string | undefined {
  try {
    found.push(...formerRows(file, head));
    return undefined;
  } catch (error) {
    return messageOfError(error);
  }
}

type LogLine = Readonly<Record<string, unknown>>;

interface RowOfLog extends DatedLoggedRow {
  /** Lines of commands, which operators may append to the server's log, name their database. */
  readonly isOfServer: boolean;
}

const isOfServer = (row: RowOfLog): boolean => row.isOfServer;

async function rowsOf(file: string, isWanted?: (line: LogLine) => boolean): Promise<RowOfLog[]> {
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Infinity });
  const rows: RowOfLog[] = [];
  for await (const line of lines) {
    const row = line.includes('"Audit"') ? rowIn(line, isWanted) : undefined;
    if (row) rows.push(row);
  }
  return rows;
}

/**
 * Why the given log may not be the server's since the backup. Rows of other sources do not show that it is: a row that
 * only a command wrote leaves no gap before the rows of the server, which the log alone has.
 */
function doubtAbout(rows: readonly DatedLoggedRow[], { seq, hash }: ChainHead): string | undefined {
  const same = rows.filter((row) => row.seq === seq);
  if (same.some((row) => row.hash === hash.toString('hex'))) return undefined;
  if (same.length > 0) {
    return `row ${seq} of the log is not that of the backup: the log is of another database`;
  }
  // A log that begins with a later row was rotated just in time.
  if (rows.some((row) => row.seq > seq)) return undefined;
  return 'the log has no row since the backup: it is the wrong file, or of a server that logs less than `info`';
}

function gapIn(rows: readonly DatedLoggedRow[], { seq }: ChainHead): string | undefined {
  const seqs = new Set(rows.map((row) => row.seq));
  const last = rows.at(-1)?.seq ?? seq;
  for (let next = seq + 1; next <= last; next += 1) {
    if (!seqs.has(next)) return `the log lacks row ${next} of the audit trail`;
  }
  return undefined;
}

function rowIn(text: string, isWanted?: (line: LogLine) => boolean): RowOfLog | undefined {
  try {
    const line = JSON.parse(text) as LogLine;
    const { time, context, msg } = line;
    if (context !== 'Audit' || typeof msg !== 'string' || isWanted?.(line) === false)
      return undefined;
    const row = loggedRowIn(msg);
    return row && { ...row, time: Number(time), isOfServer: line['database'] === undefined };
  } catch {
    return undefined; // a line that was cut off
  }
}

const lineOf = ({ time, revoked }: DatedLoggedRow): string[] =>
  revoked ? [`${new Date(time).toISOString()} ${revoked.action} ${revoked.facts}`] : [];
