import type { INestApplicationContext } from '@nestjs/common';
import { AuditKey } from '../../audit/chain/audit-head.js';
import { AuditTrail } from '../../audit/audit-trail.js';
import { AuditSealing } from '../../audit/chain/audit-sealing.js';
import type { AuditNote } from '../../audit/request-rows.js';
import type { ChangingCall } from '../../audit/audited.js';
import { refusalFacts } from '../../audit/refusal-facts.js';
import { AuditVerifier, type ChainVerdict } from '../../audit/chain/audit-verifier.js';
import type { ChainHead } from '../../audit/chain/chain.js';
import type { Unit } from '../../platform/database/commit/unit.js';
import { readAuditKey } from '../../platform/config/files/key-files.js';
import { OptionMistakes } from '../../platform/config/option-types.js';
import type { CommandLine } from '../../platform/config/load-options.js';
import type { Account } from '../../platform/access/accounts/account.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { newRequestId } from '../../platform/http/request-id.js';
import { plainText } from '../../platform/pages/languages/languages.js';
import { withAdministration } from '../application.js';

/** The account of the command line, with its name in the audit trail. */
export const CLI_ACCOUNT: Account = { name: 'cli', role: 'admin' };

const SHA256_HEX = /^[0-9a-f]{64}$/i;

/**
 * Prints the last row up to which the audit trail is valid.
 *
 * @throws Error that names the first fault; the program then exits with 1
 */
export function verifyAudit({ options, own }: CommandLine): Promise<void> {
  const expect = own.get('expect');
  if (expect !== undefined && !SHA256_HEX.test(expect)) {
    throw new OptionMistakes(['--expect: must be a hash of 64 hexadecimal digits']);
  }
  return withAdministration(options, async (app) => {
    const hash = expect === undefined ? undefined : Buffer.from(expect, 'hex');
    const verdict = await app.get(AuditVerifier).verify(hash);
    const { good, head, fault } = verdict;
    console.log(`${good} rows are good. The last of them: ${head.seq} ${hashOf(head)}`);
    if (fault !== undefined)
      throw new Error(`The audit trail is at fault: ${plainText('en', fault)}.`);
    for (const line of provedBy(verdict)) console.log(line);
  });
}

/** Describes what the seal proves, and what is not proved here. */
function provedBy({ sealed, sealedBy }: ChainVerdict): string[] {
  const rewriting = [
    'It is not proved that nobody with write access to the database rewrote, added or removed',
    'the last ones away: compare with the log, or use --expect.',
  ];
  if (!sealed) {
    const seal = sealedBy === undefined ? 'no key' : `the key ${sealedBy}, which was not given`;
    return [`The trail is sealed with ${seal} (--audit-key-file).`, ...rewriting];
  }
  const { from, to } = sealed;
  const since = from ? ` (it seals since row ${from.seq}, ${dateOf(from)})` : '';
  return [
    `The key proves the rows up to ${to.seq}${since}:`,
    'nobody without it has rewritten, added or removed one of them since.',
    ...(from ? [`Row ${from.seq} must be the one whose hash you noted: ${hashOf(from)}`] : []),
    'It is not proved that the database was not put back as a whole to how it was at an earlier time:',
    'compare the number of the last row with the log, or use --expect.',
  ];
}

const dateOf = ({ at }: ChainHead): string => new Date(at).toISOString();

const hashOf = ({ hash }: ChainHead): string => hash.toString('hex');

/**
 * Begins to seal the trail with the key of `--audit-key-file`.
 *
 * @throws OptionMistakes if there is no key, or the trail is sealed with another one
 */
export function sealAudit({ options }: CommandLine): Promise<void> {
  return withAdministration(options, async (app) => {
    const begun = await app.get(AuditSealing).begin();
    if (!begun) return console.log('The audit trail is sealed with this key already.');
    const { row, removed } = begun;
    if (removed) {
      console.log(
        `The trail was sealed since row ${removed.seq}, and that seal was removed without its key. Compare it with the log.`,
      );
    }
    console.log('The audit trail is sealed from now on. Nothing proves the rows before.');
    noteDown(row);
  });
}

/** Prints the values to keep outside the database. */
function noteDown(row: ChainHead): void {
  console.log(
    `Note the hash of the sealing row ${row.seq}, for --expect of audit verify: ${hashOf(row)}`,
  );
}

/**
 * Seals the trail with the key of another file from now on, or with none.
 *
 * @throws OptionMistakes if the new key cannot be read, or the current one is not available
 */
export function changeAuditKey({ options, words: [file = ''] }: CommandLine): Promise<void> {
  const secret = file === 'none' ? undefined : readAuditKey({ auditKeyFile: file });
  return withAdministration(options, async (app) => {
    const key = secret ? new AuditKey(secret) : null;
    const row = await app.get(AuditSealing).rekey(key);
    console.log(
      key
        ? `The audit trail is sealed with the key ${key.fingerprint} from now on. Instances write no rows until they`
        : 'The audit trail is no longer sealed. Instances write no rows until they',
    );
    console.log(
      `are started ${key ? `with --audit-key-file ${file}` : 'without --audit-key-file'}.`,
    );
    if (key && row) noteDown(row);
  });
}

/** The call of a command that changes something. */
interface CommandCall extends ChangingCall {
  /** For events. */
  readonly requestId: string;
}

/**
 * Runs a command that makes a change, and leaves its row in the audit trail, under the account `cli`.
 *
 * @throws OptionMistakes if the key is not the one that seals the trail; nothing is changed then
 * @param change stores the change with the row by `commit`; without it, the row is stored afterwards
 */
export async function runAudited<T>(
  app: INestApplicationContext,
  note: AuditNote,
  change: (call: CommandCall) => Promise<T>,
): Promise<T> {
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
    if (error instanceof ApiError) {
      const detail = { ...note.detail, ...refusalFacts(error.problem) };
      const refused = { result: 'refused', code: error.code ?? undefined, detail } as const;
      await log.append({ ...entry, ...note, ...refused });
    }
    throw error;
  }
}

/**
 * Stores a change and its row in the audit trail in one unit.
 *
 * @throws Error if another process changed the same data; nothing is stored then
 */
export async function commitAudited(
  app: INestApplicationContext,
  note: AuditNote,
  change: Unit,
): Promise<void> {
  await app.get(AuditSealing).require();
  const entry = { ...caller(), ...note, result: 'ok' } as const;
  if (await app.get(AuditTrail).commit([entry], change)) return;
  throw new Error('Another process changes the same: nothing was stored.');
}

const caller = () => ({
  account: CLI_ACCOUNT.name,
  role: CLI_ACCOUNT.role,
  address: '',
  requestId: newRequestId(),
});
