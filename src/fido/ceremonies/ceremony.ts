import type { KeyOrigin } from '../../users/credentials/credential.entity.js';
import type { Conveyance } from '../../tenancy/policy/policy.js';
import type { InvitationPermit } from '../../invitations/invitation-permits.js';
import type { Acr } from '../authentication/authentication.validators.js';

/** The application's own ID of the user, as known at the begin call. */
export interface PendingUserId {
  /** The user ID, which becomes `user_id` of the token. */
  readonly subject?: string;
  /** Set if the user does not have this ID yet. */
  readonly binds?: true;
}

/** A user ID that the ceremony assigns to its user. */
export type AssignedUserId = Readonly<{ subject: string; binds: true }>;

export const assignsUserId = <P extends PendingUserId>(pending: P): pending is P & AssignedUserId =>
  pending.binds === true && pending.subject !== undefined;

/** The user ID of a ceremony that assigns none: the user's, if there is one. */
export const ownUserId = (
  user: { readonly subject: string | undefined } | undefined,
): PendingUserId => (user?.subject === undefined ? {} : { subject: user.subject });

/** Facts of a begin call that both result calls need. */
interface BeginFacts extends PendingUserId {
  /** Base64URL of 32 bytes, the first 16 of them random, followed by the transaction's SHA-256, if any. */
  readonly challenge: string;
  /** ID of the relying party's row, Base64URL. */
  readonly rp: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** When it began: computed when it is taken, and not stored. */
  readonly begunAt: number;
  /** Set if the result call names another challenge and is therefore refused: the ceremony remains. Not stored. */
  readonly isTaken?: false;
  readonly userVerificationRequired: boolean;
}

/**
 * What permitted the begin call and must still be valid when the credential is stored:
 * - `first`: there is no such user yet;
 * - `signedInWith` (fingerprint, Base64URL): the user still has the credential that signed in, enabled;
 * - `ticket` (hash, Base64URL): the ticket is not used up;
 * - `movedWith` (fingerprint, Base64URL): the predecessor still has the credential that signed in, enabled;
 * - otherwise the invitation, which must not have changed.
 */
export type Permit =
  | { readonly first: true }
  | { readonly signedInWith: string }
  | { readonly ticket: string }
  | { readonly movedWith: string }
  | InvitationPermit;

/**
 * Proof of the user beside the key, sent in the begin call of a sign-in:
 * - `signedInWith` (fingerprint, Base64URL): a fresh, verified sign-in of `user` (ID) with that key;
 * - `invitation` (ID, Base64URL): an open invitation of the user;
 * - otherwise an application, which has checked a second factor.
 */
export type SecondFactor =
  | { readonly signedInWith: string; readonly user: string }
  | { readonly invitation: string }
  | { readonly application: true };

/** A user of a predecessor: the ID, Base64URL, and how often the user had been locked out there. */
export interface PredecessorUser {
  readonly user: string;
  readonly lockouts: number;
}

export interface PendingRegistration extends BeginFacts {
  readonly kind: 'registration';
  readonly username: string;
  /** ID of the user's row, Base64URL; `null` if this registration creates the user. */
  readonly user: string | null;
  /** How often the user had been locked out; absent if never, or if an instance of an older version began it. */
  readonly lockouts?: number;
  /** The user of the predecessor whom it creates at the successor. */
  readonly movesFrom?: PredecessorUser;
  /**
   * Set if its new user at a predecessor may be linked to a user of the successor: whoever permitted the registration
   * may permit one at both.
   */
  readonly mayLink?: true;
  readonly displayName: string;
  /** The groups of the user whom it creates, in NFC; absent for none. */
  readonly groups?: readonly string[];
  /** WebAuthn's user.id, Base64URL. */
  readonly userHandle: string;
  readonly algorithms: readonly number[];
  /** Device metadata as JSON text. */
  readonly keypair: string | null;
  readonly enforcedProtection: number | null;
  /** The conveyance that the caller requested. */
  readonly attestation: Conveyance;
  /** Set for a registration without a prompt, which does not test user presence. */
  readonly presenceWaived?: true;
  /** `null` if the begin call needed no permission. */
  readonly permit: Permit | null;
  /** Where the new key comes from. Absent if an instance of an older version began the ceremony. */
  readonly origin?: KeyOrigin;
  /** Policy rules in mode `report` that the begin call broke. */
  readonly reports: readonly string[];
}

/** Claims that a begin call requests for the token of its sign-in. */
export interface RequestedClaims {
  readonly nonce?: string;
  /** The token's audience, if not the relying party. */
  readonly audience?: string;
  readonly acr?: Acr;
  /** SHA-256 of the transaction that the user confirms, Base64URL. */
  readonly txn?: string;
}

interface AuthenticationFacts extends BeginFacts {
  readonly kind: 'authentication';
  /** The requested claims. Session stores contain this name, and instances of earlier versions read it. */
  readonly agreed?: RequestedClaims;
  readonly secondFactor?: SecondFactor;
}

export interface NamedAuthentication extends AuthenticationFacts {
  readonly username: string;
  /** ID of the user's row, Base64URL. */
  readonly user: string;
  readonly displayName: string;
  /** Row IDs of the offered credentials, Base64URL. */
  readonly offered: readonly string[];
  /**
   * Whether user verification counted for each of them when the ceremony began. Absent if an instance of an older
   * version began it.
   */
  readonly uvInitialized?: readonly boolean[];
  /** The stored counter of each of them at that time. Absent if an instance of an older version began it. */
  readonly signCounts?: readonly number[];
  /** When each of them last signed in, in milliseconds since 1970. Absent as `signCounts`. */
  readonly lastUsedAt?: readonly (number | null)[];
  /** The groups that decide which profile applies; absent for none. */
  readonly groups?: readonly string[];
  /** Set if the user's rules require user verification, but not those of all users. */
  readonly verifiesUser?: true;
  /** User and credentials belong to the predecessor. The name is that of version 1.0, whose instances read it. */
  readonly former?: true;
  /**
   * The ID that this user has, or will have, at the successor, Base64URL. Absent if an instance of an older version
   * began the ceremony.
   */
  readonly movesTo?: string;
  /** Set if no user of this name can sign in: the user is made up, which the caller must not notice. */
  readonly madeUp?: true;
}

/** A sign-in without a user name: the authenticator identifies the user. */
export interface NamelessAuthentication extends AuthenticationFacts {
  readonly username?: undefined;
  readonly user?: undefined;
  /** Whether the ceremony waits in the autofill list of a form. */
  readonly conditional: boolean;
}

export type PendingAuthentication = NamedAuthentication | NamelessAuthentication;
export type Pending = PendingRegistration | PendingAuthentication;
export type CeremonyKind = Pending['kind'];
export type PendingOf<Kind extends CeremonyKind> = Extract<Pending, { kind: Kind }>;

/** Whether the user and the credentials belong to the predecessor. */
export const belongsToPredecessor = (
  pending: PendingAuthentication,
): pending is NamedAuthentication => pending.user !== undefined && pending.former === true;

export const isMadeUp = (pending: Pending): pending is NamedAuthentication =>
  'madeUp' in pending && pending.madeUp === true;

const ID_BYTES = 16;
const TIME_BYTES = 6;

/**
 * The ID of a ceremony in the database: the time at which it ends, then random bytes of its challenge. The time
 * comes first, so that an index of these IDs grows at its end, however large it is.
 */
export function ceremonyId({ challenge, expiresAt }: Pending): Buffer {
  const id = Buffer.alloc(ID_BYTES);
  id.writeUIntBE(expiresAt, 0, TIME_BYTES);
  Buffer.from(challenge, 'base64url').copy(id, TIME_BYTES);
  return id;
}
