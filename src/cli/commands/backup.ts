import { existsSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { OptionMistakes, databaseCa } from '../../platform/config/option-types.js';
import { newId } from '../../platform/database/row-ids.js';
import { NOTE_BACKUP } from '../../platform/database/shared-records.js';
import type { Runs } from '../commands.js';
import { copyDatabase, removeCopy, syncDirectoryOf } from '../restore/sqlite-files.js';

const SQLITE = 'sqlite:';

export const backupCommand: Runs<'backup'> = {
  /**
   * Copies the database while the server runs. The copy is complete or does not exist: it is renamed to its
   * final name once it is checked and synced. For other databases, prints the command of their own tool.
   *
   * @throws OptionMistakes if the file already exists, or there is no database to copy
   */
  backup: async ({ options: { db }, file }) => {
    if (!db.startsWith(SQLITE)) return console.log(dumpCommand(new URL(db), file));
    const source = db.slice(SQLITE.length);
    if (!existsSync(source)) throw new OptionMistakes([`there is no database at ${source}`]);
    ensureFree(file);
    const folder = dirname(file);
    if (!existsSync(folder)) throw new OptionMistakes([`${file}: there is no folder ${folder}`]);
    // A unique name, so that no other backup to the same file writes to this one.
    const part = `${file}.${newId().toString('hex')}.part`;
    try {
      copyDatabase(source, part);
      note(part);
      ensureFree(file);
      renameSync(part, file);
      syncDirectoryOf(file);
    } finally {
      removeCopy(part);
    }
    note(source);
    console.log(
      `${file}: ${statSync(file).size} bytes, checked. It holds secrets: keep it like one.`,
    );
  },
};

/** @throws OptionMistakes if the file already exists, perhaps because another backup was faster */
function ensureFree(file: string): void {
  if (!existsSync(file)) return;
  throw new OptionMistakes([`${file} is there already: it is not overwritten`]);
}

/**
 * Records the time of the backup for the status page: in the copy, so that it is known after a restore, and in the
 * database. The copy is valid without it.
 */
function note(file: string): void {
  try {
    const database = new BetterSqlite3(file, { fileMustExist: true });
    database.pragma('synchronous = FULL');
    const { sql, params } = NOTE_BACKUP.bind({ value: String(Date.now()) });
    database.prepare(sql).run(...params);
    database.close();
  } catch (error) {
    console.error(`The copy is made, but not noted in ${file}: ${String(error)}`);
  }
}

/**
 * The command that dumps a MySQL or MariaDB database, without the password, for which that program prompts. The shell
 * would make the file readable for everybody. Tablespaces need a privilege in MySQL that nothing else needs.
 */
function dumpCommand(url: URL, file: string): string {
  const { hostname, port, username, pathname } = url;
  const tls = tlsFlags(databaseCa(url.href));
  return [
    '(umask 077; mariadb-dump --single-transaction --hex-blob --no-tablespaces --default-character-set=utf8mb4',
    `--host=${hostname} --port=${port || '3306'} --user=${quoted(decodeURIComponent(username))} --password${tls}`,
    `${quoted(decodeURIComponent(pathname.slice(1)))} > ${quoted(file)})`,
  ].join(' \\\n  ');
}

function tlsFlags(ca: string | undefined): string {
  if (ca === undefined) return '';
  const encrypts = ca === 'on' ? '--ssl' : `--ssl-ca=${quoted(ca)}`;
  return ` ${encrypts} --ssl-verify-server-cert`;
}

/** A text as a word of the shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
