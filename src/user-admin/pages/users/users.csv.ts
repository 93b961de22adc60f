import { lastUseOf } from '../../../users/list/filter-and-order.js';
import type { FoundUser } from '../../../users/user-rows.js';
import {
  cellsOf,
  csvHeading,
  csvRows,
  type CsvColumns,
  type CsvDialect,
} from '../../../platform/pages/csv.js';

const timeOf = (ms: number | undefined): string =>
  ms === undefined ? '' : new Date(ms).toISOString();

const countOf = ({ credentials }: FoundUser, wanted: boolean): number =>
  credentials.filter(({ enabled }) => enabled === wanted).length;

const COLUMNS: CsvColumns<FoundUser> = {
  username: ({ username }) => username,
  displayName: ({ displayName }) => displayName,
  relyingParty: ({ relyingParty }) => relyingParty.domain,
  createdAt: ({ createdAt }) => timeOf(createdAt),
  enabledKeys: (user) => countOf(user, true),
  disabledKeys: (user) => countOf(user, false),
  lastUsed: (user) => timeOf(lastUseOf(user)),
};

/** Writes a file with a line for each user, in batches. */
export async function* usersCsv(
  batches: AsyncIterable<readonly FoundUser[]>,
  dialect?: CsvDialect,
): AsyncGenerator<string> {
  yield csvHeading(Object.keys(COLUMNS), dialect);
  for await (const users of batches) {
    yield csvRows(
      users.map((user) => cellsOf(COLUMNS, user)),
      dialect,
    );
  }
}
