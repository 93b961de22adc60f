/**
 * The database's kind decides how bytes are stored: `VARBINARY` on MySQL and MariaDB, since
 * `utf8mb4_bin` treats 'a' and 'a ' as equal, and `BLOB` on SQLite. Both compare byte for byte.
 */
export type DatabaseKind = 'sqlite' | 'mysql';
