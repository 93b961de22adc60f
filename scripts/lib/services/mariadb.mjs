import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '../folder.mjs';
import { must } from '../must.mjs';
import { findProgram, freePort } from './programs.mjs';

/** Data that need not survive a power cut need not wait for a disk. */
const WITHOUT_SYNCS = [
  '--innodb-flush-method=nosync',
  '--innodb-flush-log-at-trx-commit=2',
  '--skip-innodb-doublewrite',
  '--loose-skip-sync-frm',
];

/** MariaDB or MySQL: the tests create and drop their own databases on it. */
export const MARIADB = {
  name: 'MariaDB',
  variable: 'TEST_MYSQL_URL',
  usual: 'mysql://root@127.0.0.1:3306',
  programs: ['mariadbd', 'mysqld'],
  install: { packages: ['mariadb-server'] },
  probe,
  prepare,
  scratch: WITHOUT_SYNCS,
};

/** Returns the server's version after checking that this login may create and drop a database. */
async function probe(url) {
  const { createConnection } = await import('mysql2/promise');
  const connection = await createConnection({ uri: url, connectTimeout: 3000 });
  try {
    const name = `servicefido_probe_${randomUUID().slice(0, 8)}`;
    await connection.query(`CREATE DATABASE ${name}`);
    await connection.query(`DROP DATABASE ${name}`);
    const [[{ version }]] = await connection.query('SELECT version() AS version');
    return version;
  } finally {
    await connection.end();
  }
}

/** Creates the files of a new instance; returns how to start it, and its address. */
async function prepare(program) {
  const folder = newFolder('mariadb');
  const data = join(folder, 'data');
  // A server deletes all temporary tables in this folder when it starts. In a shared one it would delete
  // tables of other servers, which then crash.
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary);
  // A database server refuses to run as root unless an option names that user.
  const asRoot = process.getuid?.() === 0 ? ['--user=root'] : [];
  const common = ['--no-defaults', `--datadir=${data}`, `--tmpdir=${temporary}`, ...asRoot];
  makeSystemTables(program, common);
  const port = await freePort();
  const url = `mysql://root@127.0.0.1:${port}`;
  const args = [
    ...common,
    `--port=${port}`,
    '--bind-address=127.0.0.1',
    `--socket=${join(folder, 'sock')}`,
    `--pid-file=${join(folder, 'pid')}`,
  ];
  return { url, args, folder, probe: () => probe(url) };
}

/** MariaDB contains a script for the system tables, MySQL creates them itself. @param common its arguments as a server */
export function makeSystemTables(program, common) {
  const installer = findProgram('mariadb-install-db', 'mysql_install_db');
  const login = ['--auth-root-authentication-method=normal', '--skip-test-db'];
  if (installer) must(installer, ...common, ...login);
  else must(program, ...common, '--initialize-insecure');
}
