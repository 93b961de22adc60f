/**
 * Fills a MariaDB with users and measures what the user administration does with them: the figures
 * of docs/users.md. Needs a build; makes a database of its own and removes it.
 *
 *   npm run long -- users [mysql://root@127.0.0.1:3306] [1000000]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '../../bench/server-process.mjs';
import { inProject, say } from '../lib/project.mjs';
import { run } from '../lib/run.mjs';
import { Admin } from '../lib/users-load/admin.mjs';
import { LoadDatabase } from '../lib/users-load/database.mjs';
import { Logins } from '../lib/users-load/logins.mjs';
import {
  changeOneByOne,
  deleteListed,
  searchByPrefix,
  walkAllPages,
} from '../lib/users-load/tasks.mjs';

const [server = 'mysql://root@127.0.0.1:3306', wanted = '1000000'] = process.argv.slice(2);
const PASSWORD = 'load';

await run(async () => {
  const users = Number(wanted);
  const database = await LoadDatabase.create(server);
  const folder = mkdtempSync(join(tmpdir(), 'servicefido-load-'));
  const options = {
    '--data': folder,
    '--db': database.url,
    '--domain': 'localhost',
    '--origin': 'http://localhost:8080',
    '--admin-password': PASSWORD,
    '--log-level': 'warn',
  };
  const args = (port) => [
    ...[inProject('dist/main.js'), '--port', String(port)],
    ...Object.entries(options).flat(),
  ];
  let running;
  try {
    running = await startServer({ node: process.execPath, args });
    const logins = await Logins.register(running.port);
    say(`filling: ${users} users, ${2 * users} credentials`);
    await database.fill(users);
    const admin = new Admin(running, PASSWORD);
    await admin.warmUp();
    await searchByPrefix(admin, users);
    await walkAllPages(admin, users);
    await changeOneByOne(admin, users);
    await deleteListed(admin, users, logins);
  } finally {
    await running?.stop();
    await database.remove();
    rmSync(folder, { recursive: true, force: true });
  }
});
process.exit();
