import { Database } from '../../../src/platform/database/database.js';
import type { SoftAuthenticator } from '../authenticator/soft-authenticator.js';
import type { TestServer } from '../test-server.js';

/** Disables what an authenticator holds, as an administrator would. */
export async function disableCredentials(
  server: TestServer,
  { credentials }: SoftAuthenticator,
): Promise<void> {
  await server.get(Database).commit(
    credentials.map(({ id }) => ({
      // As a person whom nobody noted: a job would note that, between two looks of a test at the rows.
      sql: "UPDATE credentials SET enabled = 0, disabled_by = '{}' WHERE credential_id = ?",
      params: [id],
      mustChange: true,
    })),
  );
}
