import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TEXT, words } from '../entities/column-types.js';

/** A secret that all instances share. */
@Entity('secrets')
export class Secret {
  @PrimaryColumn(words(64))
  name!: string;

  @Column(TEXT)
  value!: string;
}
