import { select, sql } from '../../platform/database/statement.js';
import { forEachKind, tableOf } from '../../platform/database/entities/table.js';
import { User } from '../user.entity.js';
import { CloneAlarm } from './clone-alarm.entity.js';
import { Credential } from './credential.entity.js';

const a = tableOf(CloneAlarm, 'a');
const c = tableOf(Credential, 'c');
const u = tableOf(User, 'u');
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
export const ALARMS_OF_ENABLED_KEYS = select({ ...a.pick(...KEY, 'alarm'), ...u.pick('username') })
  .from<{ relyingPartyIds: readonly Buffer[]; limit: number }>(`
    ${a.from}
  CROSS JOIN ${c.from} ON ${c.relyingPartyId} = ${a.relyingPartyId} AND ${c.credentialHash} = ${a.credentialHash}
  CROSS JOIN ${u.from} ON ${u.id} = ${c.userId}
  WHERE ${a.relyingPartyId} IN (:...relyingPartyIds) AND +${c.enabled} = 1
  ORDER BY ${a.alarm} DESC LIMIT :limit`);
