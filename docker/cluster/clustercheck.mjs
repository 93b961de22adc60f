#!/usr/bin/env node
/**
 * Tells a load balancer whether a Galera node accepts writes: HTTP 200 when it is ready and synced (or
 * a donor, which serves as well) and not read-only, else 503. A node that lost its quorum still
 * accepts TCP connections and logins, so checking those proves nothing.
 *
 *     clustercheck.mjs PORT [HOST]
 *
 * The database's URL is in DATABASE_URL, or in the file that DATABASE_URL_FILE names, and never on
 * the command line, where every process of the machine could read its password. HOST replaces the
 * host of the URL.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createConnection } from 'mysql2/promise';

const [port, host] = process.argv.slice(2);
const { DATABASE_URL, DATABASE_URL_FILE: file } = process.env;
const uri = new URL(file ? readFileSync(file, 'utf8').trim() : DATABASE_URL);
if (host) uri.hostname = host;
const PATIENCE_MS = 1000;
const TAKES_WRITES = `
  SELECT COUNT(*) AS yes FROM information_schema.GLOBAL_STATUS ready
  JOIN information_schema.GLOBAL_STATUS state ON state.VARIABLE_NAME = 'WSREP_LOCAL_STATE'
  WHERE ready.VARIABLE_NAME = 'WSREP_READY' AND ready.VARIABLE_VALUE = 'ON'
    AND state.VARIABLE_VALUE IN ('4', '2') AND @@read_only = 0`;

/** The connection, or its opening: checks that overlap share it. */
let connecting;

async function takesWrites() {
  connecting ??= createConnection({ uri: uri.href, connectTimeout: PATIENCE_MS });
  const mine = connecting;
  try {
    const connection = await mine;
    const [[{ yes }]] = await connection.query({ sql: TAKES_WRITES, timeout: PATIENCE_MS });
    return Number(yes) === 1;
  } catch {
    // Another check may have replaced it already.
    if (connecting === mine) connecting = undefined;
    mine.then((connection) => connection.destroy()).catch(() => undefined);
    return false;
  }
}

createServer(async (_request, response) => {
  response.writeHead((await takesWrites()) ? 200 : 503, { connection: 'close' }).end();
}).listen(Number(port));
