import { Logger } from '@nestjs/common';
import type { QueryRunner } from 'typeorm';
import { OPERATOR_ACCOUNT } from '../../platform/access/accounts/account.js';
import { readAuditKey } from '../../platform/config/files/key-files.js';
import type { ServerOptions } from '../../platform/config/server-config.js';
import { Secret } from '../../platform/database/entities/server.entity.js';
import { newRequestId } from '../../platform/http/request-id.js';
import { logAuditRow } from '../audit-trail.js';
import { AuditRow } from '../audit-row.entity.js';
import { AuditKey, HEAD_RECORD, recordText } from './audit-head.js';
import { GENESIS, KEY_CHANGE, seal } from './chain.js';

/** The entity of the tenants, which the audit trail may not import. */
const TENANTS = 'Tenant';

/**
 * Seals the trail of a new database, if there is an audit key. A database that has a tenant, or a trail, is not new:
 * somebody marked it as new, and perhaps removed a seal.
 *
 * @param runner with a transaction, which the caller commits
 * @param now milliseconds since 1970
 * @returns what logs the seal once it is stored
 */
export async function sealNewTrail(
  runner: QueryRunner,
  options: ServerOptions,
  now: number,
): Promise<(() => void) | undefined> {
  const secret = readAuditKey(options);
  if (secret === undefined || (await isInUse(runner))) return undefined;
  const key = new AuditKey(secret);
  const entry = {
    account: OPERATOR_ACCOUNT.name,
    role: OPERATOR_ACCOUNT.role,
    address: '',
    requestId: newRequestId(),
    action: KEY_CHANGE,
    target: key.fingerprint,
    result: 'ok',
  } as const;
  const row = seal(entry, GENESIS, now);
  await runner.manager.insert(AuditRow, row);
  await runner.manager.insert(Secret, { name: HEAD_RECORD, value: recordText(row, key) });
  return () => {
    logAuditRow(row);
    Logger.log(
      `The new audit trail is sealed with the key ${key.fingerprint}. Note the hash of its first row outside of the database, for --expect of audit verify: ${row.hash.toString('hex')}`,
      'Audit',
    );
  };
}

const isInUse = async ({ manager }: QueryRunner): Promise<boolean> =>
  (await manager.exists(TENANTS)) ||
  (await manager.exists(AuditRow)) ||
  (await manager.existsBy(Secret, { name: HEAD_RECORD }));
