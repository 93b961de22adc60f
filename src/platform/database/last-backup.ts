import { tableOf } from './entities/table.js';
import { Secret } from './secrets/secret.entity.js';
import { sql } from './statement.js';
import type { SharedRecords } from './shared-records.js';

const NAME = 'last-backup';

const record = tableOf(Secret);
/**
 * For the backup command, which copies databases of any version and therefore runs without the application.
 */
export const NOTE_BACKUP = sql<{ value: string }>(`INSERT INTO ${record.from}
  (${record.list('name', 'value')}) VALUES ('${NAME}', :value)
  ON CONFLICT (${record.name}) DO UPDATE SET ${record.value} = excluded.${record.value}`);

/** When `servicefido backup` last made a copy, in milliseconds since 1970; `undefined` for never. */
export async function lastBackup(records: SharedRecords): Promise<number | undefined> {
  const text = await records.find(NAME);
  return text === undefined ? undefined : Number(text);
}
