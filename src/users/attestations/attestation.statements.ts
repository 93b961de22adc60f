import type { Scope } from '../../platform/database/scope.js';
import { select, sql } from '../../platform/database/statement.js';
import { tableOf } from '../../platform/database/entities/table.js';
import { Attestation, AttestationAuthority } from './attestation.entity.js';

const attestations = tableOf(Attestation);
const authorities = tableOf(AttestationAuthority);

export type NewAttestationRow = Omit<Attestation, 'credential' | 'evidence'> & {
  readonly evidence: string;
};

export const KEEP_ATTESTATIONS = sql<{ rows: readonly NewAttestationRow[] }>(
  `INSERT INTO ${attestations.rows(...attestations.names)}`,
);

/** Takes row IDs of credentials. */
export const ATTESTATIONS_OF = select(
  attestations.pick('id', 'evidence', 'certificates', 'authorities', 'proof', 'uvm'),
).from<Scope & { ids: readonly Buffer[] }>(
  `${attestations.from} WHERE ${attestations.scopeWithoutIndex} AND ${attestations.id} IN (:...ids)`,
);

/** Throws a unique violation if the certificate is stored already. */
export const KEEP_AUTHORITY = sql<AttestationAuthority>(
  `INSERT INTO ${authorities.row('hash', 'certificate')}`,
);

export const AUTHORITIES_WITH = select(authorities.pick('hash', 'certificate')).from<{
  hashes: readonly Buffer[];
}>(`
  ${authorities.from} WHERE ${authorities.hash} IN (:...hashes)`);
