import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { register } from 'prom-client';
import { DataSource } from 'typeorm';
import { DatabaseFindings } from '../../src/health/setup/database-findings.js';
import { SetupFindings } from '../../src/health/setup/setup-findings.js';
import { SetupLog } from '../../src/health/setup/setup-log.js';
import { adminClient } from '../support/client.js';
import { runCommandHere } from '../support/command.js';
import { DATABASES } from '../support/databases.js';
import { describeWith } from '../support/needs.js';
import { OwnTls } from '../support/own-tls.js';
import { TestServer } from '../support/test-server.js';

const CERTIFICATE = 'servicefido_certificate_expiry_timestamp_seconds';
const BACKUP = 'servicefido_last_backup_timestamp_seconds';

/** The lines of a metric after the hourly look at the setup. */
async function measured(server: TestServer, name: string): Promise<string[]> {
  await server.get(SetupLog).runNow();
  const { text } = await adminClient(server.url).get('/metrics');
  return text.split('\n').filter((line) => line.startsWith(name));
}

describe.each(DATABASES)('metrics of the setup on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on });
  });
  afterAll(() => server.stop());

  it('/metrics counts the configuration problems by urgency', async () => {
    const found = await server.get(SetupFindings).all();
    const urgent = found.filter((finding) => finding.urgent).length;
    expect(urgent).toBeGreaterThan(0);
    const name = 'servicefido_configuration_problems';
    expect(await measured(server, name)).toEqual([
      `${name}{urgent="yes"} ${urgent}`,
      `${name}{urgent="no"} ${found.length - urgent}`,
    ]);
  });

  it('the list of findings fails on a database with another schema instead of being shorter', async () => {
    const source = server.get(DataSource);
    await source.query('ALTER TABLE webhooks RENAME TO elsewhere');
    try {
      await expect(server.get(SetupFindings).all()).rejects.toThrow('webhooks');
    } finally {
      await source.query('ALTER TABLE elsewhere RENAME TO webhooks');
    }
  });

  it('/metrics has no expiry of a certificate that another program holds', async () => {
    expect(await measured(server, CERTIFICATE)).toEqual([]);
  });

  it('/metrics counts no findings about keys while there are none', async () => {
    expect(await measured(server, 'servicefido_key_findings')).toEqual([
      'servicefido_key_findings 0',
    ]);
  });
});

it('/metrics has the time of the last backup of SQLite, and 0 before the first', async () => {
  const server = await TestServer.start({ on: 'SQLite' });
  const folder = mkdtempSync(join(tmpdir(), 'servicefido-test-'));
  expect(await measured(server, BACKUP)).toEqual([`${BACKUP} 0`]);
  await runCommandHere(['backup', join(folder, 'copy.sqlite'), '--db', server.database.url]);
  const made = await server.get(DatabaseFindings).lastBackup();
  expect(await measured(server, BACKUP)).toEqual([`${BACKUP} ${Number(made) / 1000}`]);
  await server.stop();
  rmSync(folder, { recursive: true });
});

describeWith('MariaDB')('a backup that another program makes', () => {
  it('/metrics has no time of a backup that another program makes', async () => {
    const server = await TestServer.start({ on: 'MariaDB' });
    expect(await measured(server, BACKUP)).toEqual([]);
    await server.stop();
  });
});

it('/metrics has the end of the certificate of --tls-cert', async () => {
  const tls = new OwnTls();
  const server = await TestServer.start({ options: tls.options });
  await server.get(SetupLog).runNow();
  const { validToDate } = new X509Certificate(readFileSync(tls.options.tlsCert));
  // Of this process, since no client here trusts the certificate.
  const metric = await register.getSingleMetricAsString(CERTIFICATE);
  expect(metric).toMatch(new RegExp(`^${CERTIFICATE} ${validToDate.getTime() / 1000}$`, 'm'));
  await server.stop();
  tls.remove();
});
