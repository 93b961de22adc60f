import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TEXT, WHOLE, words } from '../../platform/database/entities/column-types.js';

/** A key that signs the tokens; a retired one stays until its last token has expired. */
@Entity('signing_keys')
export class SigningKeyEntity {
  @PrimaryColumn(words(64))
  kid!: string;

  /** PKCS #8 in PEM, sealed if the server has a sealing key. */
  @Column(TEXT)
  privateKey!: string;

  @Column(WHOLE)
  createdAt!: number;
}
