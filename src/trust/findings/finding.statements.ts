import type { Scope } from '../../platform/database/scope.js';
import { sql, type Parameters } from '../../platform/database/statement.js';
import type { Code } from '../../platform/errors/catalogue.js';
import type { StoredKeyState } from '../../users/credentials/key-state.js';
import type { KeyToEvaluate } from './evaluation/key-evaluation.js';
import type { FindingOnKey } from './evaluation/next-key-state.js';
import { Attestation } from '../../users/attestations/attestation.entity.js';
import { Credential } from '../../users/credentials/credential.entity.js';
import { DeletedKey, Deletion } from '../../users/deletions/deletion.entity.js';
import { User } from '../../users/user.entity.js';
import { forEachKind, tableOf, type RowOf } from '../../platform/database/entities/table.js';
import { Finding } from './finding.entity.js';

const credential = tableOf(Credential);
const finding = tableOf(Finding);
const c = tableOf(Credential, 'c');
const o = tableOf(Credential, 'o');
const u = tableOf(User, 'u');
const a = tableOf(Attestation, 'a');
const f = tableOf(Finding, 'f');
const d = tableOf(Deletion, 'd');
const k = tableOf(DeletedKey, 'k');

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
  'disablingJson',
  'disabledByRule',
  'acceptedBy',
  'refusedWith',
  'registeredAt',
  'importedFrom',
  'attestationAsked',
  'residentKey',
] as const;

/** A key with its proof and its finding, if it has them. */
export interface EvaluatedKeyRow extends Omit<KeyToEvaluate, 'username' | 'statement' | 'finding'> {
  readonly username: Buffer;
  readonly evidence: string | null;
  readonly certificates: Buffer | null;
  readonly authorities: Buffer | null;
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
  /** How many keys its user had before this one was registered. */
  readonly earlier: number;
}

interface Slice {
  readonly relyingPartyId: Buffer;
  readonly limit: number;
}

/** Selects keys in the order of their hashes. */
const keysWhere = <Params extends Parameters<Params>, More = unknown>(
  condition: string,
  { more = '', along = credential.from } = {},
) =>
  sql<Slice & Params, EvaluatedKeyRow & More>(
    `SELECT ${c.select(...KEY)}, ${u.username},
    ${a.select('evidence', 'certificates', 'authorities')},
    ${f.select('rule', 'code', 'action')}${more}
  FROM (SELECT ${credential.id} FROM ${along}
    WHERE ${credential.relyingPartyId} = :relyingPartyId AND ${condition}
    ORDER BY ${credential.credentialHash} LIMIT :limit) k
  JOIN ${c.from} ON ${c.id} = k.id JOIN ${u.from} ON ${u.id} = ${c.userId}
  LEFT JOIN ${a.from} ON ${a.id} = ${c.id} LEFT JOIN ${f.from} ON ${f.id} = ${c.id}
  ORDER BY ${c.credentialHash}`,
    { patienceMs: 30_000 },
  );

const BEHIND = `${credential.credentialHash} > :behind`;

export const KEYS_TO_EVALUATE = keysWhere<{ behind: Buffer }>(BEHIND);

export const KEYS_OF_MODEL = forEachKind((kind) =>
  keysWhere<{ behind: Buffer; aaguid: Buffer }>(`${credential.aaguid} = :aaguid AND ${BEHIND}`, {
    along: credential.forceIndex(kind, 'ix_credentials_of_model'),
  }),
);

/** Findings are deleted with their keys. */
export const KEYS_OF_DELETION = sql<Scope & { id: Buffer }, EvaluatedKeyRow>(
  `SELECT ${k.select(...KEY, 'evidence', 'certificates', 'authorities')}, ${d.username},
    NULL AS rule, NULL AS code, NULL AS action
  FROM ${k.from} JOIN ${d.from} ON ${d.id} = ${k.deletionId}
  WHERE ${k.scopeWithoutIndex} AND ${k.deletionId} = :id`,
);

/** Finds keys with their columns for a trial, and how many keys their user had before. */
export const KEYS_TO_TRY = keysWhere<{ behind: Buffer }, TriedKey>(BEHIND, {
  more: `, ${c.select('credentialId', 'deviceName', 'uvInitialized')}, ${u.select('displayName')}, (SELECT COUNT(*) FROM ${o.from}
    WHERE ${o.userId} = ${c.userId} AND ${o.registeredAt} < ${c.registeredAt}) earlier`,
});

export const DELETE_FINDINGS = sql<Scope & { ids: readonly Buffer[] }>(
  `DELETE FROM ${finding.from} WHERE ${finding.scope} AND ${finding.id} IN (:...ids)`,
);

type NewFinding = Omit<Finding, 'credential' | keyof Scope>;

export const INSERT_FINDINGS = sql<Scope & { rows: readonly NewFinding[] }>(
  `INSERT INTO ${finding.rows(...finding.names)}`,
);

export const FINDING_OF = sql<Scope & { credentialHash: Buffer }, { rule: string; code: Code }>(
  `SELECT ${f.select('rule', 'code')} FROM ${c.from}
  JOIN ${f.from} ON ${f.id} = ${c.id}
  WHERE ${c.scope} AND ${c.credentialHash} = :credentialHash`,
  { small: true },
);

/** Finds the findings about these keys, and the state of the keys. */
export const FINDINGS_OF = sql<
  Scope & { ids: readonly Buffer[] },
  FindingOnKey & StoredKeyState & { id: Buffer }
>(`SELECT
    ${f.select('id', 'rule', 'code', 'action')},
    ${c.select('enabled', 'disablingJson', 'disabledByRule', 'acceptedBy', 'refusedWith')}
  FROM ${f.from} JOIN ${c.from} ON ${c.id} = ${f.id}
  WHERE ${f.scope} AND ${f.id} IN (:...ids)`);

export interface FindingRow
  extends
    FindingOnKey,
    Pick<Finding, 'id' | 'foundAt'>,
    RowOf<User, 'displayName', 'username'>,
    RowOf<Credential, 'credentialId' | 'deviceName' | 'aaguid' | 'enabled' | 'acceptedBy'> {}

const findingsAlong = <Params extends Parameters<Params>>(from: string, condition: string) =>
  sql<Scope & { behind: Buffer; limit: number } & Params, FindingRow>(
    `SELECT ${f.select('id', 'rule', 'code', 'action', 'foundAt')},
    ${u.select('username', 'displayName')},
    ${c.select('credentialId', 'deviceName', 'aaguid', 'enabled', 'acceptedBy')}
  FROM ${from} JOIN ${c.from} ON ${c.id} = ${f.id} JOIN ${u.from} ON ${u.id} = ${c.userId}
  WHERE ${f.scope} AND ${condition} AND ${f.id} > :behind ORDER BY ${f.id} LIMIT :limit`,
  );

export const FINDINGS = findingsAlong(f.from, 'TRUE');

/** Neither database can tell which of two indexes that begin with the relying party leads to fewer rows. */
const BY_RULE = 'ix_findings_rule';

export const FINDINGS_OF_RULE = forEachKind((kind) =>
  findingsAlong<{ rule: string }>(f.forceIndex(kind, BY_RULE), `${f.rule} = :rule`),
);

/** The next rule in ascending order that a key breaks: one lookup in the index. */
export const NEXT_RULE = forEachKind((kind) =>
  sql<Scope & { behind: string }, { rule: string }>(
    `SELECT ${finding.rule} FROM ${finding.forceIndex(kind, BY_RULE)}
    WHERE ${finding.scope} AND ${finding.rule} > :behind ORDER BY ${finding.rule} LIMIT 1`,
  ),
);

/** How many keys, of how many users, break a rule; at most `most` keys are counted. */
export const COUNT_FINDINGS = forEachKind((kind) =>
  sql<Scope & { rule: string; most: number }, { keyCount: number; userCount: number }>(
    `SELECT COUNT(*) AS keyCount, COUNT(DISTINCT ${c.userId}) AS userCount
    FROM (SELECT ${finding.id} FROM ${finding.forceIndex(kind, BY_RULE)}
      WHERE ${finding.scope} AND ${finding.rule} = :rule ORDER BY ${finding.id} LIMIT :most) k
    JOIN ${c.from} ON ${c.id} = k.id`,
  ),
);
