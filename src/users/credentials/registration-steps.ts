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
  RENAME_USER,
  STILL_ENABLED,
} from './credential.statements.js';

/** The user of a registration: known already, or made by its first credential. */
export interface RegisteringUser {
  /** `undefined` for a user who does not exist yet. */
  readonly id: Buffer | undefined;
  /** The ID of one who is made: chosen at random, unless somebody comes from another domain. */
  readonly newId?: Buffer | undefined;
  readonly username: string;
  readonly displayName: string;
  /** The user exists, by another display name. */
  readonly renamed?: boolean;
  readonly userHandle: Buffer;
  /** What the customer's application calls a user whom this makes. */
  readonly subject?: string | undefined;
}

export interface NewCredential
  extends
    Readonly<Pick<Credential, 'credentialId' | 'publicKey' | 'algorithm' | 'signCount' | 'aaguid'>>,
    Readonly<Pick<Credential, 'deviceName' | 'transports' | 'userVerified' | 'backedUp'>> {
  readonly keypair: string | undefined;
  readonly attestation: {
    readonly format: string;
    readonly type: string;
    readonly trusted: boolean;
    /** Of the authenticator, hexadecimal. */
    readonly serialNumber?: string | undefined;
  };
  /** What it proved; `undefined` where that is nothing. */
  readonly kept: NewAttestation | undefined;
  /** Flags of the authenticator data. */
  readonly registrationFlags: number;
  readonly attestationAsked: boolean;
  readonly residentKey: boolean | undefined;
  readonly madeUnderAuthority: boolean;
  readonly backupEligible: boolean;
  /** 16 bytes that name the ceremony. */
  readonly ceremony: Buffer;
}

export interface Terms {
  /** How many credentials the user may have, this one included. */
  readonly cap: number;
  /** SHA-256 of the ID of a credential that the user must still have, enabled. */
  readonly vouchedBy?: Buffer;
  /** Goes before it, in the same unit: what it uses up, such as a ticket. */
  readonly uses?: readonly Step[];
  /** Rules of the policy that it breaks and that are only reported, with the refusal's code. */
  readonly reports: readonly { readonly rule: string; readonly code: string }[];
  readonly client?: Client | undefined;
}

interface RegistrationContext {
  readonly rp: RelyingParty;
  readonly userId: Buffer;
  readonly at: number;
}

/**
 * The statement that stores a user. It is not a guard of its own, which would cost a round trip: where
 * the relying party was closed or the name taken meanwhile, it stores nobody, and the credential finds
 * no user.
 */
export function insertUser({ rp, userId, at }: RegistrationContext, user: RegisteringUser): Step {
  const { username, displayName, userHandle, subject } = user;
  return INSERT_USER.step({
    ...scope(rp),
    id: userId,
    username: Buffer.from(normalizeName(username), 'utf8'),
    displayName,
    userHandle,
    subject: subject === undefined ? null : Buffer.from(subject, 'utf8'),
    createdAt: at,
    foldedName: Buffer.from(foldedName(username), 'utf8'),
  });
}

/** The statement that gives a user the display name which the authenticator was just given. */
export const renameUser = (
  { rp, userId }: RegistrationContext,
  { displayName }: RegisteringUser,
): Step => RENAME_USER.step({ ...scope(rp), id: userId, displayName });

interface CredentialContext extends RegistrationContext {
  /** Of the new row. */
  readonly id: Buffer;
  readonly userHandle: Buffer;
  readonly cap: number;
  readonly vouchedBy: Buffer | undefined;
}

/**
 * The steps that store a credential of a user, who must still be the one that was asked, have room for it, and
 * have the credential that vouches for it. That one is locked first, so that it is not disabled meanwhile.
 */
export function insertCredential(context: CredentialContext, made: NewCredential): Step[] {
  const { rp, vouchedBy, userId, userHandle, cap } = context;
  const params = { ...scope(rp), userId, userHandle, cap, ...rowOf(context, made) };
  if (!vouchedBy) return [INSERT_CREDENTIAL.guard(params)];
  return [
    STILL_ENABLED.step({ ...scope(rp), credentialHash: vouchedBy, userId }),
    INSERT_VOUCHED_CREDENTIAL.guard({ ...params, vouchedBy }),
  ];
}

const rowOf = ({ id, at }: CredentialContext, made: NewCredential) => ({
  ...made,
  id,
  credentialHash: credentialHashOf(made.credentialId),
  keypair: made.keypair ?? null,
  attestationFormat: made.attestation.format,
  attestationType: made.attestation.type,
  attestationTrusted: made.attestation.trusted,
  // W3C WebAuthn L3 §7.1 step 27: the UV flag of the registration.
  uvInitialized: made.userVerified,
  registeredAt: at,
  lastCeremony: made.ceremony,
  residentKey: made.residentKey ?? null,
  serialNumber: made.attestation.serialNumber ?? null,
});
