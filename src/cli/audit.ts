import { randomUUID } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { AuditLog } from '../audit/audit-log.js';
import type { AuditNote } from '../audit/audit-trail.js';
import { AuditVerifier } from '../audit/audit-verifier.js';
import { OptionMistakes } from '../config/load-options.js';
import type { CommandLine } from '../config/load-options.js';
import { ApiError } from '../errors/api-error.js';
import { withApplication } from './application.js';

const SHA256_HEX = /^[0-9a-f]{64}$/i;

/**
 * Prints how far the audit trail is good.
 *
 * @throws Error that names the first fault; the program ends with 1 then
 */
export function verifyAudit({ options, own }: CommandLine): Promise<void> {
  const expect = own.get('expect');
  if (expect !== undefined && !SHA256_HEX.test(expect)) {
    throw new OptionMistakes(['--expect: must be a hash of 64 hexadecimal digits']);
  }
  return withApplication(options, async (app) => {
    const hash = expect === undefined ? undefined : Buffer.from(expect, 'hex');
    const { good, head, fault } = await app.get(AuditVerifier).verify(hash);
    console.log(
      `${good} rows are good. The last of them: ${head.seq} ${head.hash.toString('hex')}`,
    );
    if (fault !== undefined) throw new Error(`The audit trail is at fault: ${fault}.`);
  });
}

/**
 * Runs a changing command and leaves its row in the audit trail, under the account `cli`.
 *
 * @param change completes the note by what only it knows
 */
export async function audited<T>(
  app: INestApplicationContext,
  note: AuditNote,
  change: (note: AuditNote) => Promise<T>,
): Promise<T> {
  const log = app.get(AuditLog);
  const entry = { account: 'cli', role: 'admin', address: '', requestId: randomUUID() };
  try {
    const answer = await change(note);
    await log.append({ ...entry, ...note, result: 'ok' });
    return answer;
  } catch (error) {
    if (error instanceof ApiError) {
      await log.append({ ...entry, ...note, result: 'refused', code: error.code ?? undefined });
    }
    throw error;
  }
}
