import { Column, Entity, PrimaryColumn } from 'typeorm';
import { WHOLE, words } from './column-types.js';

/** A value of a setting that a server uses, or used lately. */
@Entity('agreed_settings')
export class AgreedSetting {
  @PrimaryColumn(words(32))
  name!: string;

  @PrimaryColumn(WHOLE)
  value!: number;

  /** When a server last announced it, in milliseconds since 1970. */
  @Column(WHOLE)
  usedAt!: number;
}
