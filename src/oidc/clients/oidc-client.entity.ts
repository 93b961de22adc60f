import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import {
  FLAG,
  JSON_TEXT,
  WHOLE,
  fixedBytes,
  words,
} from '../../platform/database/entities/column-types.js';
import { KeyedByRelyingParty } from '../../platform/database/scope.js';
import { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';

/** The maximum number of characters of a client's name. */
export const MAX_CLIENT_NAME = 64;

/** `web`: a server that keeps a secret; `public`: an app or a page, which cannot keep one. */
export const CLIENT_KINDS = ['web', 'public'] as const;
export type ClientKind = (typeof CLIENT_KINDS)[number];

/** How ID tokens are signed. */
export const CLIENT_ALGORITHMS = ['ES256', 'RS256'] as const;
export type ClientAlgorithm = (typeof CLIENT_ALGORITHMS)[number];

/** An application that signs its users in by OpenID Connect at one relying party. */
@Entity('oidc_clients')
export class OidcClient extends KeyedByRelyingParty {
  @ManyToOne(() => RelyingPartyEntity, { onDelete: 'CASCADE' })
  @JoinColumn({
    name: 'relying_party_id',
    foreignKeyConstraintName: 'fk_oidc_clients_relying_party',
  })
  relyingParty?: RelyingPartyEntity;

  /** Base64URL of 16 random bytes. */
  @PrimaryColumn(words(22))
  clientId!: string;

  @Column(words(MAX_CLIENT_NAME))
  name!: string;

  @Column(words(8))
  kind!: ClientKind;

  /** SHA-256 of the secret; `null` for a public client. */
  @Column({ ...fixedBytes(32), nullable: true })
  secretHash!: Buffer | null;

  @Column(JSON_TEXT)
  redirectUris!: string[];

  /** Where browsers may be sent after a sign-out. */
  @Column(JSON_TEXT)
  postLogoutRedirectUris!: string[];

  @Column(words(8))
  algorithm!: ClientAlgorithm;

  /** Whether the client may have the claim `groups`. */
  @Column(FLAG)
  groupsAllowed!: boolean;

  @Column(WHOLE)
  createdAt!: number;

  /** The name of the account. */
  @Column(words(255))
  createdBy!: string;

  /** Increases with each change. */
  @Column(WHOLE)
  changedAt!: number;
}
