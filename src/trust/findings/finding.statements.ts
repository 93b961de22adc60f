import type { Scope } from '../../platform/database/scope.js';
import { select, sql, type Parameters, type RowOf } from '../../platform/database/statement.js';
import { Attestation } from '../../users/attestations/attestation.entity.js';
import { Credential, KEY_STATE } from '../../users/credentials/credential.entity.js';
import { DeletedKey, Deletion } from '../../users/deletions/deletion.entity.js';
import { usableKey } from '../../users/sign-in-state.js';
import { User } from '../../users/user.entity.js';
import { computed, forEachKind, orNull, tableOf } from '../../platform/database/entities/table.js';
import { Finding } from './finding.entity.js';

const credentials = tableOf(Credential);
const findings = tableOf(Finding);
const credential = tableOf(Credential, 'c');
const earlierKey = tableOf(Credential, 'o');
const user = tableOf(User, 'u');
const attestation = tableOf(Attestation, 'a');
const finding = tableOf(Finding, 'f');
const deletion = tableOf(Deletion, 'd');
const deletedKey = tableOf(DeletedKey, 'k');

const KEY = [
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
  ...KEY_STATE,
  'registeredAt',
  'importedFrom',
  'attestationAsked',
  'residentKey',
  'credentialId',
  'publicKey',
] as const;

/** A key with its proof and its finding, if it has them. */
const EVALUATED_KEY = {
  ...credential.pick(...KEY),
  ...user.pick('username'),
  evidence: orNull(attestation.evidence),
  certificates: orNull(attestation.certificates),
  authorities: orNull(attestation.authorities),
  proof: computed<Buffer | null>(`CASE WHEN 1 = :withProofs THEN ${attestation.proof} END`),
  rule: orNull(finding.rule),
  code: orNull(finding.code),
  action: orNull(finding.action),
};

interface KeySlice {
  readonly relyingPartyId: Buffer;
  readonly limit: number;
  /** Whether to read the signed bytes: they are stored apart from the row if they are long. */
  readonly withProofs: boolean;
}
const PATIENT = { patienceMs: 30_000 };

/** Selects keys in the order of their hashes. */
const keysWhere = (
  condition: string,
  {
    source = credentials.from,
    ofRelyingParty = `${credentials.relyingPartyId} = :relyingPartyId`,
  } = {},
) => `(SELECT ${credentials.id} FROM ${source}
    WHERE ${ofRelyingParty} AND ${condition}
    ORDER BY ${credentials.credentialHash} LIMIT :limit) k
  JOIN ${credential.from} ON ${credential.id} = k.id JOIN ${user.from} ON ${user.id} = ${credential.userId}
  LEFT JOIN ${attestation.from} ON ${attestation.id} = ${credential.id}
    LEFT JOIN ${finding.from} ON ${finding.id} = ${credential.id}
  ORDER BY ${credential.credentialHash}`;

const AFTER = `${credentials.credentialHash} > :after`;

export const KEYS_TO_EVALUATE = select(EVALUATED_KEY).from<KeySlice & { after: Buffer }>(
  keysWhere(AFTER),
  PATIENT,
);
export type EvaluatedKeyRow = RowOf<typeof KEYS_TO_EVALUATE>;

export const KEYS_OF_MODEL = forEachKind((kind) =>
  select(EVALUATED_KEY).from<KeySlice & { after: Buffer; aaguid: Buffer }>(
    keysWhere(`${credentials.aaguid} = :aaguid AND ${AFTER}`, {
      source: credentials.forceIndex(kind, 'ix_credentials_of_model'),
    }),
    PATIENT,
  ),
);

/** SQLite would prefer the index of the relying party to the one of the IDs. */
const WITHOUT_INDEX = { ofRelyingParty: `+${credentials.relyingPartyId} = :relyingPartyId` };

export const KEYS_OF_IDS = select(EVALUATED_KEY).from<KeySlice & { ids: readonly Buffer[] }>(
  keysWhere(`${credentials.id} IN (:...ids)`, WITHOUT_INDEX),
  PATIENT,
);

export const KEYS_OF_USERS = select(EVALUATED_KEY).from<KeySlice & { userIds: readonly Buffer[] }>(
  keysWhere(`${credentials.userId} IN (:...userIds)`, WITHOUT_INDEX),
  PATIENT,
);

/** Findings are deleted with their keys. */
export const KEYS_OF_DELETION = select({
  ...deletedKey.pick(...KEY, 'evidence', 'certificates', 'authorities', 'proof'),
  ...deletion.pick('username'),
  rule: computed<null>('NULL'),
  code: computed<null>('NULL'),
  action: computed<null>('NULL'),
}).from<Scope & { id: Buffer }>(`
  ${deletedKey.from} JOIN ${deletion.from} ON ${deletion.id} = ${deletedKey.deletionId}
  WHERE ${deletedKey.scopeWithoutIndex} AND ${deletedKey.deletionId} = :id`);

/** Finds the next keys in the order of their hashes, and their users. */
export const OWNERS_OF_KEYS = select(credential.pick('credentialHash', 'userId')).from<
  Omit<KeySlice, 'withProofs'> & { after: Buffer }
>(
  `${credential.from} WHERE ${credential.relyingPartyId} = :relyingPartyId
    AND ${credential.credentialHash} > :after
  ORDER BY ${credential.credentialHash} LIMIT :limit`,
  PATIENT,
);

/** Finds the keys of users with their columns for a trial, and how many keys their user had before. */
export const KEYS_TO_TRY = select({
  ...EVALUATED_KEY,
  ...credential.pick('deviceName', 'uvInitialized'),
  ...user.pick('displayName', 'suspendedBy'),
  earlier: computed<number>(`(SELECT COUNT(*) FROM ${earlierKey.from}
    WHERE ${earlierKey.userId} = ${credential.userId}
      AND ${earlierKey.registeredAt} < ${credential.registeredAt})`),
}).from<KeySlice & { userIds: readonly Buffer[] }>(
  keysWhere(`${credentials.userId} IN (:...userIds)`, WITHOUT_INDEX),
  PATIENT,
);

export const DELETE_FINDINGS = sql<Scope & { ids: readonly Buffer[] }>(
  `DELETE FROM ${findings.from} WHERE ${findings.scope} AND ${findings.id} IN (:...ids)`,
);

type NewFinding = Omit<Finding, 'credential' | keyof Scope>;

export const INSERT_FINDINGS = sql<Scope & { rows: readonly NewFinding[] }>(
  `INSERT INTO ${findings.rows(...findings.names)}`,
);

/** Counts findings of all tenants, at most `most`. */
export const COUNT_SOME_FINDINGS = select({ keyCount: computed<number>('COUNT(*)') }).from<{
  most: number;
}>(`
  (SELECT ${findings.id} FROM ${findings.from} LIMIT :most) f`);

export const FINDING_OF = select(finding.pick('rule', 'code')).from<
  Scope & { credentialHash: Buffer }
>(
  `${credential.from}
  JOIN ${finding.from} ON ${finding.id} = ${credential.id}
  WHERE ${credential.scope} AND ${credential.credentialHash} = :credentialHash`,
  { small: true },
);

/** Finds the findings about these keys, and the state of the keys. */
export const FINDINGS_OF = select({
  ...finding.pick('id', 'rule', 'code', 'action'),
  ...credential.pick('enabled', ...KEY_STATE),
}).from<Scope & { ids: readonly Buffer[] }>(`
  ${finding.from} JOIN ${credential.from} ON ${credential.id} = ${finding.id}
  WHERE ${finding.scope} AND ${finding.id} IN (:...ids)`);

const findingsAlong = <Params extends Parameters<Params>>(from: string, condition: string) =>
  select({
    ...finding.pick('id', 'rule', 'code', 'action', 'foundAt'),
    ...user.pick('username', 'displayName'),
    ...credential.pick('credentialId', 'deviceName', 'aaguid', 'enabled', 'acceptedBy'),
  }).from<Scope & { after: Buffer; limit: number } & Params>(`
    ${from} JOIN ${credential.from} ON ${credential.id} = ${finding.id}
    JOIN ${user.from} ON ${user.id} = ${credential.userId}
  WHERE ${finding.scope} AND ${condition} AND ${finding.id} > :after ORDER BY ${finding.id} LIMIT :limit`);

export const FINDINGS = findingsAlong(finding.from, 'TRUE');
export type FindingRow = RowOf<typeof FINDINGS>;

/** Neither database can tell which of two indexes that begin with the relying party leads to fewer rows. */
const BY_RULE = 'ix_findings_rule';

export const FINDINGS_OF_RULE = forEachKind((kind) =>
  findingsAlong<{ rule: string }>(finding.forceIndex(kind, BY_RULE), `${finding.rule} = :rule`),
);

/** The next rule in ascending order that a key breaks: one lookup in the index. */
export const NEXT_RULE = forEachKind((kind) =>
  select(findings.pick('rule')).from<Scope & { after: string }>(`
    ${findings.forceIndex(kind, BY_RULE)}
    WHERE ${findings.scope} AND ${findings.rule} > :after ORDER BY ${findings.rule} LIMIT 1`),
);

/** A key that may still sign in, although no account has let it in. */
const IS_OPEN = `${usableKey(credential)} AND ${credential.acceptedBy} IS NULL`;

/**
 * How many keys, of how many users, break a rule, and how many of them are open: enabled, not refused, and not let in
 * by an account. At most `most` keys are counted.
 */
export const COUNT_FINDINGS = forEachKind((kind) =>
  select({
    keyCount: computed<number>('COUNT(*)'),
    userCount: computed<number>(`COUNT(DISTINCT ${credential.userId})`),
    openKeys: computed<number>(`COUNT(CASE WHEN ${IS_OPEN} THEN 1 END)`),
    openUsers: computed<number>(
      `COUNT(DISTINCT CASE WHEN ${IS_OPEN} THEN ${credential.userId} END)`,
    ),
  }).from<Scope & { rule: string; most: number }>(`
    (SELECT ${findings.id} FROM ${findings.forceIndex(kind, BY_RULE)}
      WHERE ${findings.scope} AND ${findings.rule} = :rule ORDER BY ${findings.id} LIMIT :most) k
    JOIN ${credential.from} ON ${credential.id} = k.id`),
);
