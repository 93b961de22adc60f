import { createPool, createServer } from 'mysql2';
import { freePort } from '../../scripts/lib/services/programs.mjs';
import { MysqlDatabase } from '../../src/platform/database/mysql/mysql-database.js';
import { sql } from '../../src/platform/database/statement.js';

const IDLE = { code: 4031, message: 'The client was disconnected because of inactivity.' };
const GREETING = {
  protocolVersion: 10,
  serverVersion: '8.4.0',
  statusFlags: 2,
  characterSet: 8,
  capabilityFlags: 0xfff7ff,
};

describe('a MySQL server that closes an idle connection', () => {
  it('a statement that crosses its notice is sent to another connection', async () => {
    const port = await freePort();
    let connections = 0;
    const mysql = createServer((connection) => {
      connections += 1;
      const isFirst = connections === 1;
      let queries = 0;
      connection.on('error', () => undefined);
      connection.serverHandshake({ ...GREETING, connectionId: connections });
      connection.on('query', () => {
        queries += 1;
        if (isFirst && queries === 2) connection.writeError(IDLE);
        else connection.writeOk({ affectedRows: 1 });
      });
    });
    mysql.listen(port);
    const pool = createPool({ host: '127.0.0.1', port, connectionLimit: 1 });
    const database = new MysqlDatabase({ reading: pool, joined: pool, committing: pool });
    await database.query(sql('DO 1'));
    expect(connections).toBe(1);
    expect(await database.query(sql('DO 1'))).toMatchObject({ affectedRows: 1 });
    expect(connections).toBe(2);
    await database.onApplicationShutdown();
    mysql.close(() => undefined);
  });
});
