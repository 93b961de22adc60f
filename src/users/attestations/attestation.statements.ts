import { tableOf } from '../../platform/database/entities/table.js';
import { marksOf } from '../../platform/database/padded.js';
import { AttestationAuthority } from './attestation-authority.entity.js';
import { Attestation } from './attestation.entity.js';

/* Parameters stand in the order of their names in the comments; `rp` is `scopeParams`. */

const attestation = tableOf(Attestation);
const authority = tableOf(AttestationAuthority);

const COLUMNS = [
  'relyingPartyId',
  'tenantId',
  'id',
  'evidence',
  'certificates',
  'authorities',
  'proof',
  'uvm',
] as const satisfies readonly (keyof Attestation)[];

/** For each row: rp, ID of the credential's row, then the values from `evidence` on. */
export const insertAttestations = (rows: readonly unknown[]) =>
  `INSERT INTO ${attestation.from} (${attestation.list(...COLUMNS)})
  VALUES ${rows.map(() => `(${marksOf(COLUMNS)})`).join(', ')}`;

export const KEEP_ATTESTATION = insertAttestations(['one']);

/** rp, IDs of credentials' rows. */
export const attestationsOf = (ids: readonly unknown[]) =>
  `SELECT ${attestation.select('id', 'evidence', 'certificates', 'authorities', 'proof', 'uvm')}
  FROM ${attestation.from} WHERE ${attestation.positionalScopeOfIds} AND ${attestation.id} IN (${marksOf(ids)})`;

/** hash, certificate: throws a unique violation where the certificate is stored already. */
export const KEEP_AUTHORITY = `INSERT INTO ${authority.from}
  (${authority.list('hash', 'certificate')}) VALUES (?, ?)`;

/** SHA-256 hashes of certificates. */
export const authoritiesWith = (hashes: readonly unknown[]) =>
  `SELECT ${authority.select('hash', 'certificate')} FROM ${authority.from}
  WHERE ${authority.hash} IN (${marksOf(hashes)})`;
