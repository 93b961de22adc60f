import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import {
  JSON_TEXT,
  WHOLE,
  bytes,
  fixedBytes,
  words,
  utf8Bytes,
  type Encoded,
  type Json,
} from '../../platform/database/entities/column-types.js';
import { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';
import type { ImportState, ImportTally } from './transfer.answer.js';

export const noTally = (): ImportTally => ({
  records: 0,
  users: { created: 0, present: 0, refused: 0, withoutKeys: 0 },
  keys: { created: 0, present: 0, refused: 0, secondFactors: 0 },
});

/** The last import of a relying party, and its progress. */
@Entity('imports')
export class ImportEntity {
  @PrimaryColumn(fixedBytes(16))
  relyingPartyId!: Buffer;

  @ManyToOne(() => RelyingPartyEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'relying_party_id', foreignKeyConstraintName: 'fk_imports_relying_party' })
  relyingParty?: RelyingPartyEntity;

  @Column(fixedBytes(16))
  tenantId!: Buffer;

  /** ID of the run: a run that was considered dead stops when it finds another ID here. */
  @Column(fixedBytes(16))
  run!: Buffer;

  @Column({ ...bytes(255), transformer: utf8Bytes })
  account!: Encoded;

  @Column(words(16))
  source!: string;

  /** `stopped` if the file (also one that is not whole), the connection or the database ended it; stored users remain. */
  @Column(words(10))
  state!: ImportState;

  @Column(JSON_TEXT)
  tally!: Json<ImportTally>;

  @Column(WHOLE)
  beganAt!: number;

  /** Time of the last part, in milliseconds since 1970. */
  @Column(WHOLE)
  changedAt!: number;
}
