import { Attestation } from '../../users/attestations/attestation.entity.js';
import { Credential } from '../../users/credentials/credential.entity.js';
import { User } from '../../users/user.entity.js';
import { eachKind, tableOf } from '../../platform/database/entities/table.js';
import { marksOf } from '../../platform/database/padded.js';
import { Finding } from './finding.entity.js';

const credential = tableOf(Credential);
const finding = tableOf(Finding);
const c = tableOf(Credential, 'c');
const o = tableOf(Credential, 'o');
const u = tableOf(User, 'u');
const a = tableOf(Attestation, 'a');
const f = tableOf(Finding, 'f');

const STATE = ['disabledBy', 'disabledByRule', 'acceptedBy', 'refusedWith'] as const;

/**
 * Selects keys in the order of their hashes, with what their registrations proved and the findings about
 * them.
 */
const keysBehind = (
  condition: string,
  { more = '', along = credential.from } = {},
) => `SELECT ${c.select(
  'id',
  'credentialHash',
  'userId',
  'aaguid',
  'algorithm',
  'attestationFormat',
  'attestationType',
  'attestationTrusted',
  'userVerified',
  'backupEligible',
  'enabled',
  ...STATE,
  'registeredAt',
  'importedFrom',
  'attestationAsked',
  'residentKey',
)}, ${u.username}, ${a.select('evidence', 'certificates', 'authorities')},
    ${f.select('rule', 'code', 'action')}${more}
  FROM (SELECT ${credential.id} FROM ${along}
    WHERE ${credential.relyingPartyId} = ? AND ${condition}
    ORDER BY ${credential.credentialHash} LIMIT ?) k
  JOIN ${c.from} ON ${c.id} = k.id JOIN ${u.from} ON ${u.id} = ${c.userId}
  LEFT JOIN ${a.from} ON ${a.id} = ${c.id} LEFT JOIN ${f.from} ON ${f.id} = ${c.id}
  ORDER BY ${c.credentialHash}`;

/** Parameters: rp ID, hash, limit. Finds the keys after a hash. */
export const KEYS_TO_EVALUATE = keysBehind(`${credential.credentialHash} > ?`);
/** Parameters: rp ID, AAGUID, hash, limit. Finds the keys of a model after a hash. */
export const KEYS_OF_MODEL = eachKind((kind) =>
  keysBehind(`${credential.aaguid} = ? AND ${credential.credentialHash} > ?`, {
    along: credential.along(kind, 'ix_credentials_of_model'),
  }),
);

/** Parameters: rp ID, hashes, limit. Finds the keys with these hashes. */
export const keysOfHashes = (hashes: readonly unknown[]) =>
  keysBehind(`${credential.credentialHash} IN (${marksOf(hashes)})`);

/**
 * Parameters: rp ID, hash, limit. Finds keys with what a trial shows of them, and how many their user had
 * before.
 */
export const KEYS_TO_TRY = keysBehind(`${credential.credentialHash} > ?`, {
  more: `, ${c.select('credentialId', 'deviceName')}, (SELECT COUNT(*) FROM ${o.from}
    WHERE ${o.userId} = ${c.userId} AND ${o.registeredAt} < ${c.registeredAt}) earlier`,
});

/** Parameters: rp, IDs. */
export const deleteFindings = (ids: readonly unknown[]) =>
  `DELETE FROM ${finding.from} WHERE ${finding.positionalScope} AND ${finding.id} IN (${marksOf(ids)})`;

const COLUMNS = [
  'relyingPartyId',
  'tenantId',
  'id',
  'rule',
  'code',
  'action',
  'foundAt',
] as const satisfies readonly (keyof Finding)[];

/** Parameters for each finding: rp, ID, rule, code, action, time. */
export const insertFindings = (rows: readonly unknown[]) =>
  `INSERT INTO ${finding.from} (${finding.list(...COLUMNS)})
  VALUES ${rows.map(() => `(${marksOf(COLUMNS)})`).join(', ')}`;

/** Parameters: rp, hash of the credential ID. */
export const FINDING_OF = `SELECT ${f.select('rule', 'code')} FROM ${c.from}
  JOIN ${f.from} ON ${f.id} = ${c.id}
  WHERE ${c.positionalScope} AND ${c.credentialHash} = ?`;

/** Parameters: rp, IDs. Finds the findings about these keys, and the state of the keys. */
export const findingsOf = (ids: readonly unknown[]) => `SELECT
    ${f.select('id', 'rule', 'code', 'action')}, ${c.select('enabled', ...STATE)}
  FROM ${f.from} JOIN ${c.from} ON ${c.id} = ${f.id}
  WHERE ${f.positionalScope} AND ${f.id} IN (${marksOf(ids)})`;

/** Parameters: rp, ID, limit. Finds the findings after an ID. */
export const FINDINGS = `SELECT ${f.select('id', 'rule', 'code', 'action', 'foundAt')},
    ${u.username}, ${c.select('credentialId', 'deviceName', 'aaguid', 'enabled', 'acceptedBy')}
  FROM ${f.from} JOIN ${c.from} ON ${c.id} = ${f.id} JOIN ${u.from} ON ${u.id} = ${c.userId}
  WHERE ${f.positionalScope} AND ${f.id} > ? ORDER BY ${f.id} LIMIT ?`;
