import {
  cellsOf,
  csvHeading,
  csvRows,
  type CsvColumns,
  type CsvDialect,
} from '../../platform/pages/csv.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import type { FindingRow } from '../../trust/findings/finding.statements.js';
import type { KeyFindings } from '../../trust/findings/key-findings.js';
import { credentialIdText } from '../../users/user-rows.js';
import { aaguidText } from '../../webauthn/aaguid.js';

const KEYS_PER_STATEMENT = 500;

interface RuleKeys {
  readonly findings: KeyFindings;
  readonly rp: RelyingParty;
  readonly rule: string;
  readonly nameOf: (aaguid: string) => string | null;
}

/** Writes a CSV file with a line for each key that breaks a rule, while they are read. */
export async function* ruleKeysFile(
  { findings, rp, rule, nameOf }: RuleKeys,
  dialect?: CsvDialect,
): AsyncGenerator<string> {
  const columns: CsvColumns<FindingRow> = {
    username: ({ username }) => username.toString('utf8'),
    displayName: ({ displayName }) => displayName,
    relyingParty: () => rp.domain,
    deviceName: ({ deviceName }) => deviceName,
    credentialId: credentialIdText,
    aaguid: ({ aaguid }) => aaguidText(aaguid),
    model: ({ aaguid }) => nameOf(aaguidText(aaguid)) ?? '',
    since: ({ foundAt }) => new Date(foundAt).toISOString(),
    state: ({ enabled }) => (enabled ? 'enabled' : 'disabled'),
  };
  yield csvHeading(Object.keys(columns), dialect);
  let after: Buffer | undefined;
  do {
    const { rows, next } = await findings.pageOfRule(rp, rule, {
      after,
      limit: KEYS_PER_STATEMENT,
    });
    yield csvRows(
      rows.map((row) => cellsOf(columns, row)),
      dialect,
    );
    after = next === undefined ? undefined : Buffer.from(next, 'base64url');
  } while (after);
}
