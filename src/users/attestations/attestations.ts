import { Injectable } from '@nestjs/common';
import type { Step } from '../../platform/database/commit/unit.js';
import { Database } from '../../platform/database/database.js';
import { scope } from '../../platform/database/scope.js';
import type { ScopeOwner } from '../../platform/database/scope.js';
import { AttestationAuthorities } from './attestation-authorities.js';
import { ATTESTATIONS_OF, KEEP_ATTESTATIONS } from './attestation.statements.js';
import type { AttestationRow, NewAttestationRow } from './attestation.statements.js';
import { sharedHashes, statementOf } from './evidence.js';
import type { Evidence, KeptAttestation } from './evidence.js';
import type { AttestationStatement } from '../../webauthn/attestation/format.js';

/** An attestation of a credential, with all of its certificates. */
interface FoundAttestation {
  readonly id: Buffer;
  readonly kept: KeptAttestation;
  /** The certificates that it shares with other credentials, DER. */
  readonly shared: readonly Buffer[];
  readonly statement: AttestationStatement;
}

/** The statement that keeps an attestation; it goes into the unit that stores its credential. */
export const attestationStep = (rp: ScopeOwner, id: Buffer, kept: KeptAttestation): Step =>
  KEEP_ATTESTATIONS.step({ rows: [attestationRow(rp, id, kept)] });

export const attestationRow = (
  rp: ScopeOwner,
  id: Buffer,
  { evidence, certificates, authorities, proof, uvm }: KeptAttestation,
): NewAttestationRow => ({
  ...scope(rp),
  ...{ id, certificates, authorities, proof, uvm },
  evidence: JSON.stringify(evidence),
});

/** Reads what is kept of attestations. */
@Injectable()
export class Attestations {
  constructor(
    private readonly database: Database,
    private readonly authorities: AttestationAuthorities,
  ) {}

  /** @param ids of credentials' rows; those without attestation are missing in the answer */
  async of(rp: ScopeOwner, ids: readonly Buffer[]): Promise<readonly FoundAttestation[]> {
    if (ids.length === 0) return [];
    return this.read(await this.database.query(ATTESTATIONS_OF, { ...scope(rp), ids }));
  }

  /** Parses rows, and adds the certificates that they share. */
  async read(rows: readonly AttestationRow[]): Promise<readonly FoundAttestation[]> {
    await this.authorities.load(rows.flatMap(sharedHashes));
    return rows.map(({ id, ...row }) => {
      const kept = { ...row, evidence: JSON.parse(row.evidence) as Evidence };
      const shared = this.authorities.find(sharedHashes(kept));
      return { id, kept, shared, statement: statementOf(kept, shared) };
    });
  }
}
