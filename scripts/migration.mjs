#!/usr/bin/env node
/**
 * `npm run migration:check`: checks that entities and migrations agree, on SQLite and, if found, on
 * MySQL or MariaDB. Exits with 1 if they do not. `npm run migration:generate` prints the missing
 * statements as a draft: migrations are written with TypeORM's Table API, so that one serves all
 * databases.
 */
import { ensureBuild } from './lib/build.mjs';
import { differences, nextNumber, withMysql, withSqlite } from './lib/migrations.mjs';
import { Refusal, say } from './lib/project.mjs';
import { run } from './lib/run.mjs';
import { findServer } from './lib/services/find-server.mjs';
import { MARIADB } from './lib/services/mariadb.mjs';

const GENERATE = 'generate';

await run(async () => {
  const [word] = process.argv.slice(2);
  if (word !== 'check' && word !== GENERATE) throw new Refusal('say check or generate');
  ensureBuild();
  const differ = [reportDifferences('SQLite', await withSqlite(differences), word)];
  const { missing, broken, env, stop } = await findServer(MARIADB);
  if (broken) throw new Refusal(missing);
  if (missing) say(`MySQL or MariaDB was not looked at: ${missing}`);
  try {
    const compare = () => withMysql(env[MARIADB.variable], differences);
    if (!missing) differ.push(reportDifferences(MARIADB.name, await compare(), word));
  } finally {
    await stop?.();
  }
  if (!differ.includes(true)) return;
  if (word === GENERATE) say(`the next migration is number ${await nextNumber()}`);
  else throw new Refusal('entities and migrations differ');
});

/** Prints the differences; returns whether there are any. */
function reportDifferences(name, { up, down }, word) {
  if (up.length === 0) {
    say(`${name}: entities and migrations agree`);
    return false;
  }
  say(`${name}: the migrations lack what the entities say`);
  for (const line of up) console.log(`  ${line}`);
  if (word === GENERATE)
    console.log(['  -- and back:', ...down.map((line) => `  ${line}`)].join('\n'));
  return true;
}
