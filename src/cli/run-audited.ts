import { Logger, type INestApplicationContext } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.js';
import type { ChangingCall } from '../audit/audited.js';
import { AuditSealing } from '../audit/chain/audit-sealing.js';
import { refusalFacts } from '../audit/refusal-facts.js';
import type { AuditNote } from '../audit/request-rows.js';
import type { Account } from '../platform/access/accounts/account.js';
import { OptionMistakes } from '../platform/config/option-types.js';
import { answerToFault } from '../platform/errors/answer-to-fault.js';
import { ApiError } from '../platform/errors/api-error.js';
import { messageOfError } from '../platform/errors/driver-errors.js';
import { newRequestId } from '../platform/http/request-id.js';

/** The account of the command line, with its name in the audit trail. */
export const CLI_ACCOUNT: Account = { name: 'cli', role: 'admin' };

/** The call of a command that changes something. */
interface CommandCall extends ChangingCall {
  /** For events. */
  readonly requestId: string;
}

/** The audit note of a command. */
interface CommandNote extends Omit<AuditNote, 'relyingParty'> {
  /** The tenant, or the relying party, that the command changes. */
  readonly at?: { readonly tenant: string; readonly domain?: string };
}

/**
 * Runs a command that makes a change, and leaves its row in the audit trail, under the account `cli`; the row of a
 * command that fails says why, as over HTTP.
 *
 * @throws OptionMistakes if the key is not the one that seals the trail; nothing is changed then
 * @param change stores the change with the row by `commit`; without it, the row is stored afterwards
 */
export async function runAudited<T>(
  app: INestApplicationContext,
  { at, ...what }: CommandNote,
  change: (call: CommandCall) => Promise<T>,
): Promise<T> {
  const note: AuditNote = { tenant: at?.tenant, relyingParty: at?.domain, ...what };
  const log = app.get(AuditTrail);
  await app.get(AuditSealing).require();
  const entry = caller();
  let isStored = false;
  const call: CommandCall = {
    account: CLI_ACCOUNT,
    requestId: entry.requestId,
    about: (facts) => void Object.assign(note, facts),
    commit: async (unit, facts, options) => {
      const rows = [facts]
        .flat()
        .map((one) => ({ ...entry, ...note, ...one, result: 'ok' as const }));
      const applied = await log.commit(rows, unit, options);
      isStored ||= applied;
      return applied;
    },
  };
  try {
    const answer = await change(call);
    if (!isStored) await log.append({ ...entry, ...note, result: 'ok' });
    return answer;
  } catch (error) {
    // A mistake on the command line changes nothing, and reveals nothing.
    if (error instanceof OptionMistakes) throw error;
    const { code, problem } = error instanceof ApiError ? error : answerToFault(error);
    const detail = { ...note.detail, ...refusalFacts(problem) };
    const refused = { result: 'refused', code: code ?? undefined, detail } as const;
    await log.append({ ...entry, ...note, ...refused }).catch((fault: unknown) => {
      Logger.warn(`The refusal has no audit row: ${messageOfError(fault)}`);
    });
    throw error;
  }
}

/**
 * Requires what `commit` resolved to.
 *
 * @throws Error if another process changed the same data; nothing is stored then
 */
export function ensureStored(isStored: boolean): void {
  if (!isStored) throw new Error('Another process changes the same: nothing was stored.');
}

const caller = () => ({
  account: CLI_ACCOUNT.name,
  role: CLI_ACCOUNT.role,
  address: '',
  requestId: newRequestId(),
});
