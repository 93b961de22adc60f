import type { Conveyance } from '../../tenancy/policy.js';
import type { InvitationPermit } from '../../invitations/invitation-permits.js';
import type { Agreement } from '../authentication/agreement.js';

/** The application's own ID of the user, as far as the begin call knew it. */
export interface PendingSubject {
  /** `user_id` of the token. */
  readonly subject?: string;
  /** Set where the user does not have this ID yet. */
  readonly binds?: true;
}

/** Facts of a begin call that both result calls need. */
interface Begun extends PendingSubject {
  /** Base64URL of 32 bytes, the first 16 of them random, and of a transaction's SHA-256 behind them. */
  readonly challenge: string;
  /** ID of the relying party's row, Base64URL. */
  readonly rp: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  readonly userVerificationRequired: boolean;
}

/**
 * What permitted the begin call and must still hold when the credential is stored:
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

export interface PendingRegistration extends Begun {
  readonly kind: 'registration';
  readonly username: string;
  /** ID of the user's row, Base64URL; `null` when this registration makes the user. */
  readonly user: string | null;
  readonly displayName: string;
  /** WebAuthn's user.id, Base64URL. */
  readonly userHandle: string;
  readonly algorithms: readonly number[];
  /** Device metadata as JSON text. */
  readonly keypair: string | null;
  readonly enforcedProtection: number | null;
  /** The conveyance that the caller asked for. Absent where an instance of an older version began. */
  readonly attestation?: Conveyance;
  /** Set for a registration without a prompt, in which nobody need be present. */
  readonly presenceWaived?: true;
  /** `null` where the begin call needed none. */
  readonly permit: Permit | null;
  /** Rules of the policy that the begin call broke and that are only reported. */
  readonly reports: readonly string[];
}

interface BegunAuthentication extends Begun {
  readonly kind: 'authentication';
  /** Claims that the token is to have. */
  readonly agreed?: Agreement;
}

export interface NamedAuthentication extends BegunAuthentication {
  readonly username: string;
  /** ID of the user's row, Base64URL. */
  readonly user: string;
  /** Absent where an instance of an older version began. */
  readonly displayName?: string;
  /** IDs of the rows of the credentials that were offered, Base64URL. */
  readonly offered: readonly string[];
  /** User and credentials are those of the predecessor. */
  readonly former?: true;
  /** Set where nobody of this name could sign in, which the caller was not told: the user is made up. */
  readonly madeUp?: true;
}

/** A sign-in without a user name: the authenticator tells who signs in. */
export interface NamelessAuthentication extends BegunAuthentication {
  readonly username?: undefined;
  readonly user?: undefined;
  /** Whether it waits in the autofill list of a form. */
  readonly conditional: boolean;
}

export type PendingAuthentication = NamedAuthentication | NamelessAuthentication;
export type Pending = PendingRegistration | PendingAuthentication;
export type CeremonyKind = Pending['kind'];
export type PendingOf<Kind extends CeremonyKind> = Extract<Pending, { kind: Kind }>;

/** Whether the user and the credentials are those of another domain, whose successor this is. */
export const comesFromElsewhere = (
  pending: PendingAuthentication,
): pending is NamedAuthentication => pending.user !== undefined && pending.former === true;

/** Whether the user and the credentials are made up. */
export const isMadeUp = (pending: Pending): pending is NamedAuthentication =>
  'madeUp' in pending && pending.madeUp === true;

/** The name that a ceremony has in the database: the random half of its challenge. */
export const ceremonyId = ({ challenge }: Pending): Buffer =>
  Buffer.from(challenge, 'base64url').subarray(0, 16);
