import { writeFileSync } from 'node:fs';
import { DataSource } from 'typeorm';
import { MetadataService } from '../../src/trust/metadata/metadata.service.js';
import { writeBlob } from '../../packages/testing/src/blob-writer.js';
import { adminClient } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { MDS_ROOTS, modelEntry } from '../support/metadata.js';
import { countOf } from '../support/rows.js';
import { testFile } from '../support/test-file.js';
import { FAST, TestServer } from '../support/test-server.js';

const MODELS = [1, 2, 3].map((n) => modelEntry(`0c7a0000-0000-4000-8000-00000000000${n}`));

describe.each(DATABASES)('metadata that the database stores but fails to return, on %s', (on) => {
  let server: TestServer;
  const file = testFile(blob(10, 1));
  beforeAll(async () => {
    const options = { mds: [file, 'upload'], mdsRoots: MDS_ROOTS };
    server = await TestServer.start({ on, options, speed: FAST });
  });
  afterAll(() => server.stop());

  it('the metadata in use are reported until the newer ones can be read, which are then loaded', async () => {
    await eventually(async () => expect(await reported(file)).toMatchObject({ no: 10 }));
    const before = await reported(file);
    await unreadable(async () => {
      writeFileSync(file, blob(11, 2));
      const stored = "metadata_sources WHERE no = 11 AND source <> 'upload'";
      await eventually(async () => expect(await countOf(server, stored)).toBe(1));
      await server.get(MetadataService).runNow();
      const { no, nextUpdate, entries, takenAt } = before;
      expect(await reported(file)).toMatchObject({ no, nextUpdate, entries, takenAt });
    });
    const next = { no: 11, nextUpdate: '2099-01-11', entries: 2 };
    await eventually(async () => expect(await reported(file)).toMatchObject(next));
  });

  it('an upload that is stored but cannot be loaded yet is answered as stored, also if it is sent again', async () => {
    const jwt = blob(20);
    const stored = { status: 200, body: { no: 20, nextUpdate: '2099-01-20', entries: 3 } };
    await unreadable(async () => expect(await upload(jwt)).toMatchObject(stored));
    expect(await upload(jwt)).toMatchObject(stored);
    expect(await reported('upload')).toMatchObject({ no: 20, entries: 3 });
  });

  it('an upload that is sent twice at the same time is answered as stored twice', async () => {
    const jwt = blob(21);
    const stored = { status: 200, body: { no: 21, entries: 3 } };
    const answers = await Promise.all([upload(jwt), upload(jwt), upload(jwt)]);
    expect(answers).toMatchObject([stored, stored, stored]);
  });

  const upload = (jwt: string) =>
    adminClient(server.url).post('/userapi/mds?source=upload', jwt, {
      'content-type': 'application/jose',
    });

  async function reported(source: string) {
    const { body } = await adminClient(server.url).get('/userapi/mds');
    const sources = body['sources'] as Record<string, unknown>[];
    return sources.find((one) => one['source'] === source) ?? {};
  }

  /** Damages what is read with a BLOB as soon as it is stored, until a function has run. */
  async function unreadable(run: () => Promise<void>): Promise<void> {
    const source = server.get(DataSource);
    await source.query(
      on === 'SQLite'
        ? `CREATE TRIGGER damages AFTER UPDATE OF digest ON metadata_sources
           BEGIN UPDATE metadata_sources SET last_known = X'00' WHERE id = NEW.id; END`
        : `CREATE TRIGGER damages BEFORE UPDATE ON metadata_sources FOR EACH ROW
           SET NEW.last_known = X'00'`,
    );
    try {
      await run();
    } finally {
      await source.query('DROP TRIGGER damages');
      await source.query('UPDATE metadata_sources SET last_known = NULL');
    }
  }
});

function blob(no: number, models = 3): string {
  const entries = MODELS.slice(0, models);
  return writeBlob({ no, nextUpdate: `2099-01-${no}`, entries });
}
