import type { Scope } from '../../platform/database/scope.js';
import { sql, type Parameters } from '../../platform/database/statement.js';
import type { Code } from '../../platform/errors/catalogue.js';
import type { StoredKeyState } from '../../users/credentials/key-state.js';
import { Attestation } from '../../users/attestations/attestation.entity.js';
import { Credential, KEY_STATE } from '../../users/credentials/credential.entity.js';
import { DeletedKey, Deletion } from '../../users/deletions/deletion.entity.js';
import { User } from '../../users/user.entity.js';
import { forEachKind, tableOf, type RowOf } from '../../platform/database/entities/table.js';
import type { FindingOnKey } from './evaluation/next-key-state.js';
import type { KeyToEvaluate } from './evaluation/key-evaluation.js';
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
export interface EvaluatedKeyRow
  extends
    Omit<KeyToEvaluate, 'username' | 'groups' | 'statement' | 'extensions' | 'finding'>,
    Pick<Credential, 'credentialId' | 'publicKey'> {
  readonly username: Buffer;
  readonly evidence: string | null;
  readonly certificates: Buffer | null;
  readonly authorities: Buffer | null;
  /** Read only if a rule needs it. */
  readonly proof: Buffer | null;
  readonly rule: string | null;
  readonly code: Code | null;
  readonly action: FindingOnKey['action'] | null;
}

/** Further columns of a key for a trial. */
export interface TriedKey extends Pick<
  Credential,
  'credentialId' | 'deviceName' | 'uvInitialized'
> {
  readonly displayName: string;
  /** Which sides suspend its user; `null` if none does. */
  readonly suspendedBy: number | null;
  /** How many keys its user had before this one was registered. */
  readonly earlier: number;
}

interface KeySlice {
  readonly relyingPartyId: Buffer;
  readonly limit: number;
  /** Whether to read the signed bytes: they are stored apart from the row if they are long. */
  readonly withProofs: boolean;
}

/** Selects keys in the order of their hashes. */
const keysWhere = <Params extends Parameters<Params>, More = unknown>(
  condition: string,
  {
    more = '',
    source = credentials.from,
    ofRelyingParty = `${credentials.relyingPartyId} = :relyingPartyId`,
  } = {},
) =>
  sql<KeySlice & Params, EvaluatedKeyRow & More>(
    `SELECT ${credential.select(...KEY)}, ${user.username},
    ${attestation.select('evidence', 'certificates', 'authorities')},
    CASE WHEN 1 = :withProofs THEN ${attestation.proof} END AS proof,
    ${finding.select('rule', 'code', 'action')}${more}
  FROM (SELECT ${credentials.id} FROM ${source}
    WHERE ${ofRelyingParty} AND ${condition}
    ORDER BY ${credentials.credentialHash} LIMIT :limit) k
  JOIN ${credential.from} ON ${credential.id} = k.id JOIN ${user.from} ON ${user.id} = ${credential.userId}
  LEFT JOIN ${attestation.from} ON ${attestation.id} = ${credential.id}
    LEFT JOIN ${finding.from} ON ${finding.id} = ${credential.id}
  ORDER BY ${credential.credentialHash}`,
    { patienceMs: 30_000 },
  );

const AFTER = `${credentials.credentialHash} > :after`;

export const KEYS_TO_EVALUATE = keysWhere<{ after: Buffer }>(AFTER);

export const KEYS_OF_MODEL = forEachKind((kind) =>
  keysWhere<{ after: Buffer; aaguid: Buffer }>(`${credentials.aaguid} = :aaguid AND ${AFTER}`, {
    source: credentials.forceIndex(kind, 'ix_credentials_of_model'),
  }),
);

/** Without the index of the relying party, which SQLite would prefer to the one of the IDs. */
export const KEYS_OF_IDS = keysWhere<{ ids: readonly Buffer[] }>(`${credentials.id} IN (:...ids)`, {
  ofRelyingParty: `+${credentials.relyingPartyId} = :relyingPartyId`,
});

export const KEYS_OF_USERS = keysWhere<{ userIds: readonly Buffer[] }>(
  `${credentials.userId} IN (:...userIds)`,
  { ofRelyingParty: `+${credentials.relyingPartyId} = :relyingPartyId` },
);

/** Findings are deleted with their keys. */
export const KEYS_OF_DELETION = sql<Scope & { id: Buffer }, EvaluatedKeyRow>(
  `SELECT ${deletedKey.select(...KEY, 'evidence', 'certificates', 'authorities', 'proof')}, ${deletion.username},
    NULL AS rule, NULL AS code, NULL AS action
  FROM ${deletedKey.from} JOIN ${deletion.from} ON ${deletion.id} = ${deletedKey.deletionId}
  WHERE ${deletedKey.scopeWithoutIndex} AND ${deletedKey.deletionId} = :id`,
);

/** Finds keys with their columns for a trial, and how many keys their user had before. */
export const KEYS_TO_TRY = keysWhere<{ after: Buffer }, TriedKey>(AFTER, {
  more: `, ${credential.select('deviceName', 'uvInitialized')}, ${user.select('displayName', 'suspendedBy')},
    (SELECT COUNT(*) FROM ${earlierKey.from}
    WHERE ${earlierKey.userId} = ${credential.userId}
      AND ${earlierKey.registeredAt} < ${credential.registeredAt}) earlier`,
});

export const DELETE_FINDINGS = sql<Scope & { ids: readonly Buffer[] }>(
  `DELETE FROM ${findings.from} WHERE ${findings.scope} AND ${findings.id} IN (:...ids)`,
);

type NewFinding = Omit<Finding, 'credential' | keyof Scope>;

export const INSERT_FINDINGS = sql<Scope & { rows: readonly NewFinding[] }>(
  `INSERT INTO ${findings.rows(...findings.names)}`,
);

/** Counts findings of all tenants, at most `most`. */
export const COUNT_SOME_FINDINGS = sql<{ most: number }, { keyCount: number }>(
  `SELECT COUNT(*) AS keyCount FROM (SELECT ${findings.id} FROM ${findings.from} LIMIT :most) f`,
);

export const FINDING_OF = sql<Scope & { credentialHash: Buffer }, { rule: string; code: Code }>(
  `SELECT ${finding.select('rule', 'code')} FROM ${credential.from}
  JOIN ${finding.from} ON ${finding.id} = ${credential.id}
  WHERE ${credential.scope} AND ${credential.credentialHash} = :credentialHash`,
  { small: true },
);

/** Finds the findings about these keys, and the state of the keys. */
export const FINDINGS_OF = sql<
  Scope & { ids: readonly Buffer[] },
  FindingOnKey & StoredKeyState & { id: Buffer }
>(`SELECT
    ${finding.select('id', 'rule', 'code', 'action')},
    ${credential.select('enabled', ...KEY_STATE)}
  FROM ${finding.from} JOIN ${credential.from} ON ${credential.id} = ${finding.id}
  WHERE ${finding.scope} AND ${finding.id} IN (:...ids)`);

export interface FindingRow
  extends
    FindingOnKey,
    Pick<Finding, 'id' | 'foundAt'>,
    RowOf<User, 'displayName', 'username'>,
    RowOf<Credential, 'credentialId' | 'deviceName' | 'aaguid' | 'enabled' | 'acceptedBy'> {}

const findingsAlong = <Params extends Parameters<Params>>(from: string, condition: string) =>
  sql<Scope & { after: Buffer; limit: number } & Params, FindingRow>(
    `SELECT ${finding.select('id', 'rule', 'code', 'action', 'foundAt')},
    ${user.select('username', 'displayName')},
    ${credential.select('credentialId', 'deviceName', 'aaguid', 'enabled', 'acceptedBy')}
  FROM ${from} JOIN ${credential.from} ON ${credential.id} = ${finding.id}
    JOIN ${user.from} ON ${user.id} = ${credential.userId}
  WHERE ${finding.scope} AND ${condition} AND ${finding.id} > :after ORDER BY ${finding.id} LIMIT :limit`,
  );

export const FINDINGS = findingsAlong(finding.from, 'TRUE');

/** Neither database can tell which of two indexes that begin with the relying party leads to fewer rows. */
const BY_RULE = 'ix_findings_rule';

export const FINDINGS_OF_RULE = forEachKind((kind) =>
  findingsAlong<{ rule: string }>(finding.forceIndex(kind, BY_RULE), `${finding.rule} = :rule`),
);

/** The next rule in ascending order that a key breaks: one lookup in the index. */
export const NEXT_RULE = forEachKind((kind) =>
  sql<Scope & { after: string }, { rule: string }>(
    `SELECT ${findings.rule} FROM ${findings.forceIndex(kind, BY_RULE)}
    WHERE ${findings.scope} AND ${findings.rule} > :after ORDER BY ${findings.rule} LIMIT 1`,
  ),
);

/** A key that may still sign in, although no account has let it in. */
const IS_OPEN = `${credential.enabled} = 1 AND ${credential.refusedWith} IS NULL AND ${credential.acceptedBy} IS NULL`;

interface FindingCounts {
  readonly keyCount: number;
  readonly userCount: number;
  readonly openKeys: number;
  readonly openUsers: number;
}

/**
 * How many keys, of how many users, break a rule, and how many of them are open: enabled, not refused, and not let in
 * by an account. At most `most` keys are counted.
 */
export const COUNT_FINDINGS = forEachKind((kind) =>
  sql<Scope & { rule: string; most: number }, FindingCounts>(
    `SELECT COUNT(*) AS keyCount, COUNT(DISTINCT ${credential.userId}) AS userCount,
      COUNT(CASE WHEN ${IS_OPEN} THEN 1 END) AS openKeys,
      COUNT(DISTINCT CASE WHEN ${IS_OPEN} THEN ${credential.userId} END) AS openUsers
    FROM (SELECT ${findings.id} FROM ${findings.forceIndex(kind, BY_RULE)}
      WHERE ${findings.scope} AND ${findings.rule} = :rule ORDER BY ${findings.id} LIMIT :most) k
    JOIN ${credential.from} ON ${credential.id} = k.id`,
  ),
);
