import { UploadCleanup } from '../../src/user-admin/lists/upload-cleanup.js';
import { AdminClient } from '../support/admin-client.js';
import { UPLOAD, postList } from '../support/list-upload.js';
import { countOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

it('refuses a list of more than a million lines and stores no name (E0041R)', async () => {
  const server = await TestServer.start();
  const admin = new AdminClient(server.url, 'localhost');
  const lines = Array.from({ length: 1_000_001 }, (_, n) => `${n}`).join('\n');
  const refused = await postList(admin, UPLOAD, lines);
  expect(refused).toMatchObject({ status: 413, body: { errorCode: 'E0041R' } });
  await server.get(UploadCleanup).runNow();
  expect(await countOf(server, 'upload_lines')).toBe(0);
  await server.stop();
});
