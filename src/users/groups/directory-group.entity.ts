import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import {
  WHOLE,
  bytes,
  fixedBytes,
  utf8Bytes,
  type Encoded,
} from '../../platform/database/entities/column-types.js';
import { ScopedColumns } from '../../platform/database/scope.js';
import { MAX_NAME_BYTES } from '../../platform/validation/values/names.js';
import { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';

/** A group that a directory (SCIM) made. Its members are the users of the directory in `user_groups`. */
@Entity('directory_groups')
@Index('uq_directory_groups_name', ['relyingPartyId', 'name'], { unique: true })
@Index('uq_directory_groups_former_name', ['relyingPartyId', 'formerName'], { unique: true })
@Index('uq_directory_groups_external_id', ['relyingPartyId', 'externalId'], { unique: true })
@Index('ix_directory_groups_created', ['relyingPartyId', 'createdAt', 'id'])
export class DirectoryGroup extends ScopedColumns {
  @PrimaryColumn(fixedBytes(16))
  id!: Buffer;

  @ManyToOne(() => RelyingPartyEntity, { onDelete: 'CASCADE' })
  @JoinColumn({
    name: 'relying_party_id',
    foreignKeyConstraintName: 'fk_directory_groups_relying_party',
  })
  relyingParty?: RelyingPartyEntity;

  /** In NFC. */
  @Column({ ...bytes(MAX_NAME_BYTES), transformer: utf8Bytes })
  name!: Encoded;

  /** The name before a change of names that is under way, UTF-8: some members are still members of this one. */
  @Column({ ...bytes(MAX_NAME_BYTES), nullable: true })
  formerName!: Buffer | null;

  /** The ID that the directory gives the group (`externalId` of SCIM), UTF-8. */
  @Column({ ...bytes(255), nullable: true })
  externalId!: Buffer | null;

  @Column(WHOLE)
  createdAt!: number;

  /** Grows with each change by the directory. */
  @Column(WHOLE)
  version!: number;
}
