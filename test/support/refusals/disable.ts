import { Database } from '../../../src/platform/database/database.js';
import type { SoftAuthenticator } from '../../../packages/testing/src/soft-authenticator.js';
import type { TestServer } from '../test-server.js';

/** Disables the keys of an authenticator, as an administrator would. */
export async function disableCredentials(
  server: TestServer,
  { credentials }: SoftAuthenticator,
): Promise<void> {
  await server.get(Database).commit(
    credentials.map(({ id }) => ({
      // Without a recorded user: a job would record one between two reads of the rows by a test.
      sql: "UPDATE credentials SET enabled = 0, disabled_by = '{}' WHERE credential_id = ?",
      params: [id],
      mustChange: true,
    })),
  );
}
