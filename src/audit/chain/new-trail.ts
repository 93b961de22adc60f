import { Logger } from '@nestjs/common';
import type { QueryRunner } from 'typeorm';
import { OPERATOR_ACCOUNT } from '../../platform/access/accounts/account.js';
import { readAuditKey } from '../../platform/config/files/key-files.js';
import type { ServerOptions } from '../../platform/config/server-config.js';
import { falseIfTaken } from '../../platform/database/commit/unique-violation.js';
import { Secret } from '../../platform/database/entities/server.entity.js';
import { newRequestId } from '../../platform/http/request-id.js';
import { logAuditRow } from '../audit-trail.js';
import { AuditRow } from '../audit-row.entity.js';
import { AuditKey, HEAD_RECORD, recordText } from './audit-head.js';
import { GENESIS, KEY_CHANGE, seal } from './chain.js';

/** The entity of the tenants, which the audit trail may not import. */
const TENANTS = 'Tenant';

/**
 * Seals the trail of a database whose tables this start has created, if there is an audit key. Of two instances that
 * start together one wins. A database that has a tenant is not new: somebody removed the history of its migrations, and
 * perhaps a seal.
 *
 * @param now milliseconds since 1970
 */
export async function sealNewTrail(
  runner: QueryRunner,
  options: ServerOptions,
  now: number,
): Promise<void> {
  const secret = readAuditKey(options);
  if (secret === undefined || (await runner.manager.exists(TENANTS))) return;
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
  if (!(await falseIfTaken(store(runner, row, recordText(row, key))))) return;
  logAuditRow(row);
  Logger.log(
    `The new audit trail is sealed with the key ${key.fingerprint}. Note the hash of its first row outside of the database, for --expect of audit verify: ${row.hash.toString('hex')}`,
    'Audit',
  );
}

/** In a transaction of its own, since `Database` opens only after the migrations. */
async function store(runner: QueryRunner, row: AuditRow, value: string): Promise<true> {
  await runner.startTransaction();
  try {
    await runner.manager.insert(AuditRow, row);
    await runner.manager.insert(Secret, { name: HEAD_RECORD, value });
    await runner.commitTransaction();
    return true;
  } catch (error) {
    await runner.rollbackTransaction();
    throw error;
  }
}
