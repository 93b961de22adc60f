import { Injectable } from '@nestjs/common';
import type { Step, Value } from '../../platform/database/commit/unit.js';
import { Database } from '../../platform/database/database.js';
import { padded } from '../../platform/database/padded.js';
import { scopeParams } from '../../platform/database/scope.js';
import type { ScopeOwner } from '../../platform/database/scope.js';
import { AttestationAuthorities } from './attestation-authorities.js';
import { KEEP_ATTESTATION, attestationsOf } from './attestation.statements.js';
import { sharedHashes, statementOf } from './evidence.js';
import type { Evidence, KeptAttestation } from './evidence.js';
import type { AttestationStatement } from '../../webauthn/attestation/format.js';

/** The row of an attestation, with its JSON not parsed yet. */
type AttestationRow = Omit<KeptAttestation, 'evidence'> & {
  readonly id: Buffer;
  readonly evidence: string;
};

/** An attestation of a credential, with all of its certificates. */
interface FoundAttestation {
  readonly id: Buffer;
  readonly kept: KeptAttestation;
  /** The certificates that it shares with other credentials, DER. */
  readonly shared: readonly Buffer[];
  readonly statement: AttestationStatement;
}

/** The statement that keeps an attestation; it goes into the unit that stores its credential. */
export function attestationStep(rp: ScopeOwner, id: Buffer, kept: KeptAttestation): Step {
  return { sql: KEEP_ATTESTATION, params: attestationRow(rp, id, kept) };
}

/** The parameters of `KEEP_ATTESTATION`. */
export const attestationRow = (rp: ScopeOwner, id: Buffer, kept: KeptAttestation): Value[] => [
  ...scopeParams(rp),
  id,
  JSON.stringify(kept.evidence),
  kept.certificates,
  kept.authorities,
  kept.proof,
  kept.uvm,
];

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
    const asked = padded(ids);
    const query = this.database.query<AttestationRow>(attestationsOf(asked));
    return this.read(await query.all(...scopeParams(rp), ...asked));
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
