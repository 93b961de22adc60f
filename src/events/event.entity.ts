import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import {
  WHOLE,
  bytes,
  fixedBytes,
  words,
  utf8Bytes,
  type Encoded,
} from '../platform/database/entities/column-types.js';
import { ScopedColumns } from '../platform/database/scope.js';

/**
 * The kinds of events, each with its meaning in a sentence. `user-…` concern a user;
 * `…-refused` are ceremonies; the others concern a credential.
 */
export const EVENT_SENTENCES = {
  registration: 'A credential was registered.',
  imported: 'A credential that was registered elsewhere was imported.',
  authentication: 'The user signed in.',
  'second-factor': 'The user signed in with a second factor.',
  'clone-alarm': 'The signature counter did not increase: the authenticator may have been cloned.',
  enabled: 'A credential was enabled.',
  disabled: 'A credential was disabled.',
  deleted: 'A credential was deleted.',
  'user-created': 'The user was created.',
  'user-deleted': 'The user was deleted.',
  'user-suspended': 'The user was suspended.',
  'user-unsuspended': 'A suspension of the user ended.',
  'user-groups-changed': 'The groups of the user changed.',
  'registration-refused': 'A registration was refused.',
  'authentication-refused': 'A sign-in was refused.',
  policy: 'A rule that only reports would have refused this.',
  finding: 'The registration of a key would no longer be accepted.',
  'finding-closed': 'The registration of a key would pass again.',
  'key-reported': 'The user reported a key that they did not add.',
};

export type EventKind = keyof typeof EVENT_SENTENCES;

export const EVENT_KINDS = Object.keys(EVENT_SENTENCES) as readonly EventKind[];

/** An event at a relying party: rows are only ever added, and outlive the users and credentials that they concern. */
@Entity('events')
@Index('ix_events_relying_party', ['relyingPartyId', 'at'])
@Index('ix_events_user', ['relyingPartyId', 'username', 'at'])
@Index('ix_events_request', ['requestId'])
@Index('uq_events_ceremony', ['ceremony'], { unique: true })
export class EventEntity extends ScopedColumns {
  @PrimaryColumn(fixedBytes(16))
  id!: Buffer;

  @Column(WHOLE)
  at!: number;

  /** Zeros if the claimed name belongs to no user. */
  @Column(fixedBytes(16))
  userId!: Buffer;

  @Column({ ...bytes(255), transformer: utf8Bytes })
  username!: Encoded;

  /** The first bytes of the credential ID's SHA-256; zeros if there is none. */
  @Column(fixedBytes(8))
  credential!: Buffer;

  @Column(words(32))
  kind!: EventKind;

  @Column({ ...words(8), nullable: true })
  code!: string | null;

  /** A word that describes the event more precisely. */
  @Column({ ...words(100), nullable: true })
  detail!: string | null;

  @Column({ ...words(32), nullable: true })
  requestId!: string | null;

  /** The client's address, IPv4 or IPv6, for a ceremony. */
  @Column({ ...words(45), nullable: true })
  address!: string | null;

  /** The browser and operating system, without versions, for a ceremony. */
  @Column({ ...words(32), nullable: true })
  browser!: string | null;

  /**
   * The ceremony that the event completes; unique, so that no ceremony is completed twice. It begins with a
   * time, so the index grows at its end.
   */
  @Column({ ...fixedBytes(16), nullable: true })
  ceremony!: Buffer | null;
}
