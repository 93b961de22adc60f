import { createReadStream, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { loggedRowIn } from '../../audit/audit-trail.js';
import type { ChainHead } from '../../audit/chain/chain.js';
import type { ServerOptions } from '../../platform/config/server-config.js';
import { messageOfError } from '../../platform/errors/driver-errors.js';
import { commandLogOf, databaseNameOf } from '../command-log.js';
import { formerRows, type DatedLoggedRow } from './former-database.js';

/** pino's number of the level `info`, the least severe one of which a server logs the rows of the audit trail. */
const INFO = 30;

interface LoggedChanges {
  /** A line for each revoked key or right and each deleted user, oldest first. */
  readonly revoked: readonly string[];
  /**
   * Why the list may be incomplete; `undefined` if every row from the backup to the end of the log is known, and the
   * log is that of the server and does not end before the backup's last row.
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

/** The audit trail in the backup. */
interface BackupTrail {
  readonly head: ChainHead;
  /** The number of the backup's epoch. */
  readonly epoch: number;
  /** Returns the hash of a row; `undefined` if the trail does not contain it. */
  readonly hashOf: (seq: number) => Promise<Buffer | undefined>;
}

/**
 * Reads what was changed since a backup from the server's log, the log of the commands and the former database.
 *
 * @throws Error if the log cannot be read
 */
export async function readChanges(
  { log, former, options }: ChangeSources,
  trail: BackupTrail,
): Promise<LoggedChanges> {
  const { head, epoch } = trail;
  const found: DatedLoggedRow[] = [];
  const server = log === undefined ? undefined : await readServerLog(log, head, found);
  const commands = commandLogOf(options);
  if (existsSync(commands)) {
    const database = databaseNameOf(options);
    for await (const line of linesOf(commands, isOfAudit)) {
      if (line.database !== database || Number(line.epoch) < epoch) continue;
      found.push(...rowIn(line));
    }
  }
  const unread = former === undefined ? undefined : readFormer(former, head, found);
  const later = found.filter((row) => row.seq > head.seq);
  later.sort((a, b) => a.seq - b.seq || a.time - b.time);
  const rows = [...new Map(later.map((row) => [`${row.seq} ${row.hash}`, row])).values()];
  const gap =
    server === undefined
      ? 'no log was given (--log FILE)'
      : ((await doubtAbout(server, trail)) ?? gapIn(rows, head));
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

/** What shows whether the given log is the server's. */
interface ServerLog {
  /** Without the rows of commands, which operators may append. */
  readonly rows: readonly DatedLoggedRow[];
  /** Whether the server logged anything of level `info` when the backup's last row existed. */
  readonly reachesBackup: boolean;
}

/** @param found receives all rows of the log */
async function readServerLog(
  file: string,
  head: ChainHead,
  found: DatedLoggedRow[],
): Promise<ServerLog> {
  const rows: DatedLoggedRow[] = [];
  let reachesBackup = false;
  for await (const line of linesOf(file, (text) => !reachesBackup || isOfAudit(text))) {
    const row = rowIn(line);
    found.push(...row);
    // Lines of commands name their database.
    if (line.database !== undefined) continue;
    rows.push(...row);
    // A later warning does not show that rows would have been logged, too.
    reachesBackup ||= Number(line.level) <= INFO && Number(line.time) >= head.at;
  }
  return { rows, reachesBackup };
}

/**
 * Why the given log may not be the server's since the backup. Rows of other sources do not show that it is: a row that
 * only a command wrote leaves no gap before the rows of the server, which the log alone has. Commands may also have
 * written the backup's last rows, so any row shows whose log it is, and any line how far it reaches.
 */
async function doubtAbout(
  { rows, reachesBackup }: ServerLog,
  trail: BackupTrail,
): Promise<string | undefined> {
  if (rows.length === 0) {
    return 'the log has no row of the audit trail: it is the wrong file, or of a server that logs less than `info`';
  }
  const foreign = await foreignRow(rows, trail);
  if (foreign) {
    return `row ${foreign.seq} of the log is not that of the backup: the log is of another database or restore`;
  }
  if (reachesBackup) return undefined;
  return 'the log has nothing of level `info` since the last row of the backup: it ends too early, or the server logs less';
}

/**
 * Returns a row that shows that the log is not of the backup's database. None is returned for a log that begins after
 * the backup: it was rotated just in time.
 */
async function foreignRow(
  rows: readonly DatedLoggedRow[],
  { head, hashOf }: BackupTrail,
): Promise<DatedLoggedRow | undefined> {
  const earlier = rows.filter(({ seq }) => seq <= head.seq).sort((a, b) => b.time - a.time);
  for (const row of earlier) {
    if ((await hashOf(row.seq))?.toString('hex') === row.hash) return undefined;
    // A row that was logged before may be one that an earlier restore lost, whose number was used again.
    if (row.time > head.at) return row;
  }
  return earlier[0];
}

function gapIn(rows: readonly DatedLoggedRow[], { seq, at }: ChainHead): string | undefined {
  // Rows that were logged before the backup's last one are of an epoch that an earlier restore ended.
  const seqs = new Set(rows.filter(({ time }) => time >= at).map((row) => row.seq));
  const last = [...seqs].at(-1) ?? seq;
  for (let next = seq + 1; next <= last; next += 1) {
    if (!seqs.has(next)) return `the log lacks row ${next} of the audit trail`;
  }
  return undefined;
}

const isOfAudit = (text: string): boolean => text.includes('"Audit"');

/** Returns the lines whose text is wanted. */
async function* linesOf(
  file: string,
  isWanted: (text: string) => boolean,
): AsyncGenerator<LogLine, void> {
  const texts = createInterface({ input: createReadStream(file), crlfDelay: Infinity });
  for await (const text of texts) {
    if (!isWanted(text)) continue;
    try {
      const line: unknown = JSON.parse(text);
      if (typeof line === 'object' && line !== null) yield line as LogLine;
    } catch {
      // A line that was cut off, or is not the server's.
    }
  }
}

function rowIn({ time, context, msg }: LogLine): DatedLoggedRow[] {
  const row = context === 'Audit' && typeof msg === 'string' ? loggedRowIn(msg) : undefined;
  return row ? [{ ...row, time: Number(time) }] : [];
}

const lineOf = ({ time, revoked }: DatedLoggedRow): string[] =>
  revoked ? [`${new Date(time).toISOString()} ${revoked.action} ${revoked.facts}`] : [];
