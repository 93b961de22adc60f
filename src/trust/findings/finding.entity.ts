import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { Credential } from '../../users/credentials/credential.entity.js';
import { WHOLE, fixedBytes, words } from '../../platform/database/entities/column-types.js';
import type { Code } from '../../platform/errors/catalogue.js';
import type { FindingAction } from '../../tenancy/policy/policy.js';

/**
 * A key whose registration would be refused today. The row exists while that is so, and is deleted with the
 * key.
 */
@Entity('findings')
@Index('ix_findings_relying_party', ['relyingPartyId', 'id'])
@Index('ix_findings_rule', ['relyingPartyId', 'rule', 'id'])
export class Finding {
  /** ID of the credential's row. */
  @PrimaryColumn(fixedBytes(16))
  id!: Buffer;

  @ManyToOne(() => Credential, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'id', foreignKeyConstraintName: 'fk_findings_credential' })
  credential?: Credential;

  @Column(fixedBytes(16))
  tenantId!: Buffer;

  @Column(fixedBytes(16))
  relyingPartyId!: Buffer;

  /** The rule of the policy that the key breaks. */
  @Column(words(32))
  rule!: string;

  /** The error code with which a registration would be refused. */
  @Column(words(8))
  code!: Code;

  @Column(words(32))
  action!: FindingAction;

  @Column(WHOLE)
  foundAt!: number;
}
