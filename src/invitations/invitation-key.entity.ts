import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { fixedBytes } from '../platform/database/entities/column-types.js';
import { Invitation } from './invitation.entity.js';

/** A key that an invitation has registered. */
@Entity('invitation_keys')
export class InvitationKey {
  @PrimaryColumn(fixedBytes(16))
  invitationId!: Buffer;

  @ManyToOne(() => Invitation, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'invitation_id', foreignKeyConstraintName: 'fk_invitation_keys_invitation' })
  invitation?: Invitation;

  @PrimaryColumn(fixedBytes(32))
  credentialHash!: Buffer;

  @Column(fixedBytes(16))
  tenantId!: Buffer;

  @Column(fixedBytes(16))
  relyingPartyId!: Buffer;
}
