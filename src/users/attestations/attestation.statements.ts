import type { Scope } from '../../platform/database/scope.js';
import { select, sql } from '../../platform/database/statement.js';
import { tableOf } from '../../platform/database/entities/table.js';
import { Attestation, AttestationAuthority } from './attestation.entity.js';

const attestation = tableOf(Attestation);
const authority = tableOf(AttestationAuthority);

export type NewAttestationRow = Omit<Attestation, 'credential' | 'evidence'> & {
  readonly evidence: string;
};

export const KEEP_ATTESTATIONS = sql<{ rows: readonly NewAttestationRow[] }>(
  `INSERT INTO ${attestation.rows(...attestation.names)}`,
);

/** Takes row IDs of credentials. */
export const ATTESTATIONS_OF = select(
  attestation.pick('id', 'evidence', 'certificates', 'authorities', 'proof', 'uvm'),
).from<Scope & { ids: readonly Buffer[] }>(
  `${attestation.from} WHERE ${attestation.scopeWithoutIndex} AND ${attestation.id} IN (:...ids)`,
);

/** Throws a unique violation if the certificate is stored already. */
export const KEEP_AUTHORITY = sql<AttestationAuthority>(
  `INSERT INTO ${authority.row('hash', 'certificate')}`,
);

export const AUTHORITIES_WITH = select(authority.pick('hash', 'certificate')).from<{
  hashes: readonly Buffer[];
}>(`
  ${authority.from} WHERE ${authority.hash} IN (:...hashes)`);
