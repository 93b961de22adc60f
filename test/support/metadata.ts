import { attestationRoot } from '../../packages/testing/src/attester.js';
import { blobEntry, blobRoot } from '../../packages/testing/src/blob-writer.js';
import { pemOf } from '../../packages/testing/src/pem.js';
import { adminClient } from './client.js';
import { testFile } from './test-file.js';
import type { TestServer } from './test-server.js';

/** For the option --mds-roots: a file with the root under which tests sign BLOBs. */
export const MDS_ROOTS = testFile(pemOf(blobRoot().certificate));

type Members = Readonly<Record<string, unknown>>;

/** The metadata of a model whose attestation leads to the root of tests, unless `statement` names another. */
export const modelEntry = (aaguid: string, statement: Members = {}, more: Members = {}) =>
  blobEntry(
    aaguid,
    {
      attestationRootCertificates: [attestationRoot().certificate.toString('base64')],
      ...statement,
    },
    more,
  );

/** Uploads a BLOB to a server that runs with --mds upload. */
export async function uploadBlob(server: TestServer, jwt: string): Promise<void> {
  const type = { 'content-type': 'application/jose' };
  const answer = await adminClient(server.url).post('/userapi/mds', jwt, type);
  if (answer.status !== 200) throw new Error(`BLOB: ${answer.text}`);
}
