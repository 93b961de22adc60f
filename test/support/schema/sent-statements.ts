import { AsyncLocalStorage } from 'node:async_hooks';
import { jest } from '@jest/globals';
import { DataSource, type Logger } from 'typeorm';
import type { Step, SqlValue } from '../../../src/platform/database/commit/unit.js';
import { Database } from '../../../src/platform/database/database.js';
import type { TestServer } from '../test-server.js';

type Sent = Pick<Step, 'sql' | 'params'>;

/** Notes the statements that some work sends to the database, and none that jobs send meanwhile. */
export class SentStatements {
  private readonly work = new AsyncLocalStorage<Sent[]>();

  constructor(server: TestServer) {
    const note = (sent: Sent) => this.work.getStore()?.push(sent);
    const database = server.get(Database);
    const query = database.query.bind(database);
    jest.spyOn(database, 'query').mockImplementation((statement, ...params) => {
      note(statement.bind(params[0] ?? {}));
      return query(statement, ...params);
    });
    // TypeORM calls its logger before each statement.
    const logger: Pick<Logger, 'logQuery'> = {
      logQuery: (sql, params = []) => note({ sql, params: params as SqlValue[] }),
    };
    const source = server.get(DataSource);
    Object.assign(source, { logger: Object.assign(Object.create(source.logger), logger) });
  }

  /** @returns the statements that read rows */
  async of(work: () => Promise<unknown>): Promise<readonly Sent[]> {
    const sent: Sent[] = [];
    await this.work.run(sent, work);
    return sent.filter(({ sql }) => sql.startsWith('SELECT'));
  }
}
