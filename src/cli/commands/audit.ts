import { AuditKey } from '../../audit/chain/audit-head.js';
import { AuditSealing } from '../../audit/chain/audit-sealing.js';
import { AuditVerifier, type ChainVerdict } from '../../audit/chain/audit-verifier.js';
import type { ChainHead } from '../../audit/chain/chain.js';
import { readAuditKey } from '../../platform/config/files/key-files.js';
import { OptionMistakes } from '../../platform/config/option-types.js';
import { plainText } from '../../platform/pages/languages/languages.js';
import { withAdministration } from '../application.js';
import type { Runs } from '../commands.js';

const SHA256_HEX = /^[0-9a-f]{64}$/i;

export const auditCommands: Runs<'audit'> = {
  /**
   * Prints the last row up to which the audit trail is valid.
   *
   * @throws Error that names the first fault; the program then exits with 1
   */
  'audit verify': async ({ options, expect }) => {
    if (expect !== undefined && !SHA256_HEX.test(expect)) {
      throw new OptionMistakes(['--expect: must be a hash of 64 hexadecimal digits']);
    }
    await withAdministration(options, async (app) => {
      const hash = expect === undefined ? undefined : Buffer.from(expect, 'hex');
      const verdict = await app.get(AuditVerifier).verify(hash);
      const { good, head, fault } = verdict;
      console.log(`${good} rows are good. The last of them: ${head.seq} ${hashOf(head)}`);
      if (fault !== undefined)
        throw new Error(`The audit trail is at fault: ${plainText('en', fault)}.`);
      for (const line of provedBy(verdict)) console.log(line);
    });
  },

  /**
   * Begins to seal the trail with the key of `--audit-key-file`.
   *
   * @throws OptionMistakes if there is no key, or the trail is sealed with another one
   */
  'audit seal': ({ options }) =>
    withAdministration(options, async (app) => {
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
    }),

  /**
   * Seals the trail with the key of another file from now on, or with none.
   *
   * @throws OptionMistakes if the new key cannot be read, or the current one is not available
   */
  'audit key': async ({ options, file }) => {
    const secret = file === 'none' ? undefined : readAuditKey({ auditKeyFile: file });
    await withAdministration(options, async (app) => {
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
  },
};

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

/** Prints the values to keep outside the database. */
function noteDown(row: ChainHead): void {
  console.log(
    `Note the hash of the sealing row ${row.seq}, for --expect of audit verify: ${hashOf(row)}`,
  );
}
