import { select, sql } from '../../platform/database/statement.js';
import { forEachKind, tableOf } from '../../platform/database/entities/table.js';
import { User } from '../user.entity.js';
import { CloneAlarm } from './clone-alarm.entity.js';
import { Credential } from './credential.entity.js';

const alarm = tableOf(CloneAlarm, 'a');
const credential = tableOf(Credential, 'c');
const user = tableOf(User, 'u');
const alarms = tableOf(CloneAlarm);
const KEY = ['relyingPartyId', 'credentialHash'] as const;
const INSERT = `INSERT INTO ${alarms.row(...KEY, 'tenantId', 'alarm')}`;

/** Replaces the alarm before. */
export const STORE_CLONE_ALARM = forEachKind((kind) =>
  sql<Pick<CloneAlarm, (typeof KEY)[number] | 'tenantId' | 'alarm'>>(
    kind === 'sqlite'
      ? `${INSERT} ON CONFLICT (${alarms.list(...KEY)})
        DO UPDATE SET ${alarms.alarm} = excluded.${alarms.alarm}`
      : `${INSERT} ON DUPLICATE KEY UPDATE ${alarms.alarm} = VALUES(${alarms.alarm})`,
  ),
);

/**
 * The alarms about keys that are enabled, newest first. `CROSS` keeps SQLite from beginning with all keys of a relying
 * party.
 */
export const ALARMS_OF_ENABLED_KEYS = select({
  ...alarm.pick(...KEY, 'alarm'),
  ...user.pick('username'),
}).from<{ relyingPartyIds: readonly Buffer[]; limit: number }>(`
    ${alarm.from}
  CROSS JOIN ${credential.from} ON ${credential.relyingPartyId} = ${alarm.relyingPartyId} AND ${credential.credentialHash} = ${alarm.credentialHash}
  CROSS JOIN ${user.from} ON ${user.id} = ${credential.userId}
  WHERE ${alarm.relyingPartyId} IN (:...relyingPartyIds) AND +${credential.enabled} = 1
  ORDER BY ${alarm.alarm} DESC LIMIT :limit`);
