import type { Pool, PoolConnection, PoolOptions, ResultSetHeader } from 'mysql2';
import { mysql2 } from '../optional-packages.js';

/** The protocol's SERVER_STATUS_NO_BACKSLASH_ESCAPES. */
const NO_BACKSLASH_ESCAPES = 0x200;
const PATIENCE_MS = 2500;

/**
 * Settings that every session needs, whatever the server's own settings are. mysql2 writes values into the
 * statement's text and escapes quotes by a backslash: with NO_BACKSLASH_ESCAPES, or in a character set such
 * as GBK where a backslash may be half a character, a display name would end its own quotes.
 */
const SET_UP = `SET NAMES utf8mb4 COLLATE utf8mb4_general_ci,
  SESSION sql_mode = 'STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'`;

/** Further settings of a pool's sessions, such as `SESSION innodb_lock_wait_timeout = 1`. */
interface SafePoolOptions extends PoolOptions {
  readonly alsoSet?: string;
}

/** Thrown where a session does not treat the backslash as an escape; nothing is sent to it. */
class UnsafeSession extends Error {
  readonly code = 'UNSAFE_SESSION';
}

/**
 * A pool of mysql2 that lends a connection only after its session is set up, also when it was newly
 * connected, and the server's answer shows that a backslash escapes.
 */
export function createSafePool({ alsoSet, ...options }: SafePoolOptions): Pool {
  const pool = mysql2().createPool(options);
  const sql = alsoSet === undefined ? SET_UP : `${SET_UP}, ${alsoSet}`;
  const ready = new WeakSet<PoolConnection>();
  const acquire = pool.getConnection.bind(pool);
  // mysql2's own `query` and `execute` get their connections here too.
  pool.getConnection = (callback) =>
    acquire((error, connection) => {
      if (error || ready.has(connection)) return callback(error, connection);
      setUp(connection, sql, (failure) => {
        if (failure) connection.destroy();
        else ready.add(connection);
        callback(failure, connection);
      });
    });
  return pool;
}

function setUp(
  connection: PoolConnection,
  sql: string,
  done: (failure: NodeJS.ErrnoException | null) => void,
): void {
  connection.query<ResultSetHeader>({ sql, timeout: PATIENCE_MS }, (error, result) => {
    if (error) return done(error);
    if ((result.serverStatus & NO_BACKSLASH_ESCAPES) === 0) return done(null);
    done(new UnsafeSession('The database keeps sql_mode NO_BACKSLASH_ESCAPES: it is not used.'));
  });
}
