import { DataSource } from 'typeorm';
import { PrivateInstance } from '../../scripts/lib/services/private-instance.mjs';
import { dataSourceOptions, openPools } from '../../src/platform/database/data-source.js';
import { createDatabaseAt, runSql, type TestDatabase } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { OwnTls } from '../support/own-tls.js';
import { TestServer } from '../support/test-server.js';

describe('a MariaDB whose user must connect over TLS', () => {
  const tls = new OwnTls();
  const other = new OwnTls();
  let maria: PrivateInstance;
  let database: TestDatabase;
  beforeAll(async () => {
    const { tlsCert, tlsKey } = tls.options;
    maria = await PrivateInstance.mariadb([`--ssl-cert=${tlsCert}`, `--ssl-key=${tlsKey}`]);
    await maria.start();
    database = await createDatabaseAt(maria.url);
    await runSql(maria.url, "CREATE USER safe IDENTIFIED BY 'p@ss' REQUIRE SSL");
    await runSql(maria.url, 'GRANT ALL ON *.* TO safe');
  });
  afterAll(async () => {
    await maria.remove();
    tls.remove();
    other.remove();
  });

  /** The address of the user, with a query. */
  const addressWith = (query: string) =>
    database.url.replace('root@127.0.0.1', 'safe:p%40ss@localhost') + query;

  it('serves ceremonies over connections that ?ssl=FILE encrypts, each of them', async () => {
    const url = addressWith(`?ssl=${encodeURIComponent(tls.options.tlsCert)}`);
    const server = await TestServer.start({ database: { ...database, url } });
    const client = new FidoClient(server.url);
    expect((await client.register('anna')).status).toBe(200);
    expect((await client.signIn('anna')).status).toBe(200);
    await server.stop();
  });

  it.each([
    ['without TLS', () => ''],
    ['with ?ssl=on, since no authority of Node.js issued the certificate', () => '?ssl=on'],
    ['with the certificate of another server', () => `?ssl=${other.options.tlsCert}`],
  ])('is refused to every pool %s', async (_, query) => {
    const url = addressWith(query());
    await expect(new DataSource(dataSourceOptions(url)).initialize()).rejects.toThrow();
    const pools = Object.values(openPools(url));
    for (const pool of pools) {
      await expect(pool.promise().query('SELECT 1')).rejects.toThrow();
      pool.end();
    }
  });
});
