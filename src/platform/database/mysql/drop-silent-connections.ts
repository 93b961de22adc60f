import type { PoolConnection } from 'mysql2';
import type { Logger, QueryRunner } from 'typeorm';

/**
 * TypeORM gives a connection back to its pool although a statement on it timed out; mysql2 does not
 * cancel the statement, so that the next one would wait for it. This "logger" is where TypeORM tells
 * of the failure: it logs nothing and destroys the connection.
 */
export class DropSilentConnections implements Logger {
  logQueryError(error: string | Error, _sql: string, _params?: unknown[], runner?: QueryRunner) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'PROTOCOL_SEQUENCE_TIMEOUT') return;
    void runner?.connect().then((connection: PoolConnection) => connection.destroy());
  }

  logQuery(): void {}
  logQuerySlow(): void {}
  logSchemaBuild(): void {}
  logMigration(): void {}
  log(): void {}
}
