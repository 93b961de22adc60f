import { lastUseOf } from '../../../users/list/filter-and-order.js';
import type { FoundUser } from '../../../users/user-rows.js';
import { csvHeading, csvRows, type CsvDialect } from '../../../platform/pages/csv.js';

const COLUMNS = [
  'username',
  'displayName',
  'relyingParty',
  'createdAt',
  'enabledKeys',
  'disabledKeys',
  'lastUsed',
];

const timeOf = (ms: number | undefined): string =>
  ms === undefined ? '' : new Date(ms).toISOString();

/** Writes a file with a line for each user, in batches. */
export async function* usersCsv(
  batches: AsyncIterable<readonly FoundUser[]>,
  dialect?: CsvDialect,
): AsyncGenerator<string> {
  yield csvHeading(COLUMNS, dialect);
  for await (const users of batches) yield csvRows(users.map(rowOf), dialect);
}

function rowOf(user: FoundUser): (string | number)[] {
  const { username, displayName, relyingParty, createdAt, credentials } = user;
  const enabled = credentials.filter((credential) => credential.enabled).length;
  return [
    username,
    displayName,
    relyingParty.domain,
    timeOf(createdAt),
    enabled,
    credentials.length - enabled,
    timeOf(lastUseOf(user)),
  ];
}
