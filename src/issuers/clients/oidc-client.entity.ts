import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import {
  FLAG,
  JSON_TEXT,
  WHOLE,
  fixedBytes,
  words,
  type Json,
} from '../../platform/database/entities/column-types.js';
import { KeyedByRelyingParty } from '../../platform/database/scope.js';
import { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';

/** The maximum number of characters of a client's name. */
export const MAX_CLIENT_NAME = 64;

/** `web`: a server that keeps a secret; `public`: an app or a page, which cannot keep one; `entra`: a tenant of Entra ID. */
export const CLIENT_KINDS = ['web', 'public', 'entra'] as const;
export type ClientKind = (typeof CLIENT_KINDS)[number];

/** The options that open issuers. Each issuer of a relying party has its own keys and clients. */
export type Door = 'oidc' | 'entra';

export const doorOf = ({ kind }: { readonly kind: ClientKind }): Door =>
  kind === 'entra' ? 'entra' : 'oidc';

/** The claim of Entra's hint by which a user is found: `oid` is the user's `externalId` here. */
export const USER_CLAIMS = ['oid', 'preferred_username'] as const;
export type UserClaim = (typeof USER_CLAIMS)[number];

/** What a client of the kind `entra` has in place of redirect addresses. */
export interface EntraSettings {
  /** The tenant of Entra ID: a GUID in lower case. */
  readonly tenantId: string;
  /** The ID of the app registration there, in the same form. */
  readonly appId: string;
  readonly userClaim: UserClaim;
}

/** How ID tokens are signed. */
export const CLIENT_ALGORITHMS = ['ES256', 'RS256'] as const;
export type ClientAlgorithm = (typeof CLIENT_ALGORITHMS)[number];

/** An application that signs its users in by OpenID Connect at one relying party, or a tenant of Entra ID. */
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

  /** SHA-256 of the secret; `null` for a client that has none. */
  @Column({ ...fixedBytes(32), nullable: true })
  secretHash!: Buffer | null;

  @Column(JSON_TEXT)
  redirectUris!: Json<string[]>;

  /** Where browsers may be sent after a sign-out. */
  @Column(JSON_TEXT)
  postLogoutRedirectUris!: Json<string[]>;

  @Column(words(8))
  algorithm!: ClientAlgorithm;

  /** Whether the client may have the claim `groups`. */
  @Column(FLAG)
  groupsAllowed!: boolean;

  /** `null` unless it is of the kind `entra`. */
  @Column({ ...JSON_TEXT, nullable: true })
  entra!: Json<EntraSettings> | null;

  @Column(WHOLE)
  createdAt!: number;

  /** The name of the account. */
  @Column(words(255))
  createdBy!: string;

  /** Increases with each change. */
  @Column(WHOLE)
  changedAt!: number;
}
