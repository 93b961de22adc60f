import type { AuditEntry } from '../../audit/audit-entry.js';
import type { Step } from '../../platform/database/commit/unit.js';
import type { Client } from '../../events/ledger.js';
import { scope } from '../../platform/database/scope.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { foldedName } from '../../platform/validation/values/folded-name.js';
import { normalizeName } from '../../platform/validation/values/names.js';
import type { NewAttestation } from '../attestations/evidence.js';
import type { Credential } from './credential.entity.js';
import { credentialHashOf } from './credential-reader.js';
import {
  INSERT_CREDENTIAL,
  INSERT_USER,
  INSERT_VOUCHED_CREDENTIAL,
  LOCK_USABLE_CREDENTIAL,
} from './credential.statements.js';

/** The user of a registration: an existing one, or one that the first credential creates. */
export interface RegisteringUser {
  /** `undefined` for a user who does not exist yet. */
  readonly id: Buffer | undefined;
  /** The ID of a new user: random, unless the user moves here from a predecessor. */
  readonly newId?: Buffer | undefined;
  readonly username: string;
  readonly displayName: string;
  /** The user exists, with another display name. */
  readonly renamed?: boolean;
  readonly userHandle: Buffer;
  /** How often the user had been locked out when the ceremony began. */
  readonly lockouts: number;
  /** The ID of a new user at the customer's application. */
  readonly subject?: string | undefined;
  /** The groups of a new user, in NFC. */
  readonly groups?: readonly string[] | undefined;
}

export interface NewCredential
  extends
    Readonly<Pick<Credential, 'credentialId' | 'publicKey' | 'algorithm' | 'signCount' | 'aaguid'>>,
    Readonly<Pick<Credential, 'deviceName' | 'deviceMetadata' | 'transports'>>,
    Readonly<Pick<Credential, 'attestationFormat' | 'attestationType' | 'attestationTrusted'>>,
    Readonly<Pick<Credential, 'serialNumber' | 'userVerified' | 'backedUp' | 'origin'>> {
  /** The evidence of its attestation; `undefined` if it proved nothing. */
  readonly kept: NewAttestation | undefined;
  readonly registrationFlags: number;
  readonly attestationAsked: boolean;
  readonly residentKey: boolean | undefined;
  readonly madeUnderAuthority: boolean;
  readonly backupEligible: boolean;
  /** ID of the ceremony, 16 bytes. */
  readonly ceremony: Buffer;
}

export interface RegistrationTerms {
  /** Maximum number of credentials of the user, including this one. */
  readonly maxCredentials: number;
  /** SHA-256 of the ID of a credential that the user must still have, enabled. */
  readonly vouchedBy?: Buffer;
  /** Earlier steps of the same unit, for example the one that uses up a ticket. */
  readonly uses?: readonly Step[];
  /** Broken policy rules in mode `report`, with the refusal's code. */
  readonly reports: readonly { readonly rule: string; readonly code: string }[];
  readonly client?: Client | undefined;
  /** The audit row of the registration, which is stored in the same unit. */
  readonly audit?: AuditEntry | undefined;
}

interface RegistrationContext {
  readonly rp: RelyingParty;
  readonly userId: Buffer;
  readonly at: number;
}

/**
 * The statement that stores a user. It is not a condition of its own, which would cost a round trip: if the relying
 * party was closed or the name taken in the meantime, it stores no user, and the step of the credential finds none.
 */
export function insertUser({ rp, userId, at }: RegistrationContext, user: RegisteringUser): Step {
  const username = normalizeName(user.username);
  const row = newUserRow({ ...user, id: userId, username, createdAt: at });
  return INSERT_USER.step({ ...scope(rp), ...row });
}

/** The columns of a new user, whose name is in NFC. */
export const newUserRow = <User extends Pick<RegisteringUser, 'username' | 'subject'>>({
  username,
  subject,
  ...user
}: User) => ({
  ...user,
  username: Buffer.from(username, 'utf8'),
  subject: subject === undefined ? null : Buffer.from(subject, 'utf8'),
  foldedName: Buffer.from(foldedName(username), 'utf8'),
});

interface CredentialContext extends RegistrationContext {
  readonly id: Buffer;
  readonly userHandle: Buffer;
  readonly lockouts: number;
  readonly maxCredentials: number;
  readonly vouchedBy: Buffer | undefined;
}

/**
 * The steps that store a credential. The user must still be the one of the begin call, not locked out since, have
 * room for it, and have the credential that vouches for it, which is locked first, so that it cannot be disabled in the meantime.
 */
export function insertCredential(context: CredentialContext, made: NewCredential): Step[] {
  const { rp, id, at, vouchedBy, userId, userHandle, lockouts, maxCredentials } = context;
  const params = {
    ...scope(rp),
    userId,
    userHandle,
    lockouts,
    maxCredentials,
    ...made,
    id,
    credentialHash: credentialHashOf(made.credentialId),
    // W3C WebAuthn L3 §7.1 step 27: the UV flag of the registration.
    uvInitialized: made.userVerified,
    registeredAt: at,
    lastCeremony: made.ceremony,
    residentKey: made.residentKey ?? null,
  };
  if (!vouchedBy) return [INSERT_CREDENTIAL.mustChange(params)];
  return [
    LOCK_USABLE_CREDENTIAL.step({ ...scope(rp), credentialHash: vouchedBy, userId }),
    INSERT_VOUCHED_CREDENTIAL.mustChange({ ...params, vouchedBy }),
  ];
}
