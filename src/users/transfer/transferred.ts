import type { KeptAttestation, SignedEvidence } from '../attestations/evidence.js';
import type { Credential } from '../credentials/credential.entity.js';
import { USER_HANDLE_BYTES } from '../user.entity.js';

/** A user in the form of exports and imports, with all data that keeps the keys working. */
export interface TransferredUser {
  readonly username: string;
  readonly displayName: string;
  /** The user's ID at the customer's own application. */
  readonly subject: string | undefined;
  /** User handles, 1 to 64 bytes each: WebAuthn's user.id, then those of some keys only. */
  readonly handles: readonly [Buffer, ...Buffer[]];
  /** Milliseconds since 1970, as all times here. */
  readonly createdAt: number;
  /** An import stores it as a suspension by the help desk: no directory may ever end it here. */
  readonly isSuspended: boolean;
  /** Names in NFC. */
  readonly groups: readonly string[];
  readonly keys: readonly TransferredKey[];
}

/** The user handle here: the first one of the length that this server makes. The others are further handles. */
export const ownHandleOf = ({ handles }: TransferredUser): Buffer | undefined =>
  handles.find(({ length }) => length === USER_HANDLE_BYTES);

/**
 * Columns of a credential that imports store. The results of a trusted attestation are only exported; the results of
 * this server's findings are not.
 */
export const TRANSFERRED = [
  'credentialId',
  'publicKey',
  'algorithm',
  'signCount',
  'aaguid',
  'deviceName',
  'deviceMetadata',
  'transports',
  'attestationFormat',
  'attestationType',
  'userVerified',
  'uvInitialized',
  'madeUnderAuthority',
  'backupEligible',
  'backedUp',
  'enabled',
  'registeredAt',
  'lastUsedAt',
  'importedFrom',
  'registrationFlags',
  'attestationAsked',
  'residentKey',
] as const satisfies readonly (keyof Credential)[];

export interface TransferredKey extends Readonly<
  Pick<Credential, Exclude<(typeof TRANSFERRED)[number], 'uvInitialized' | 'madeUnderAuthority'>>
> {
  readonly uvInitialized: boolean;
  readonly madeUnderAuthority: boolean;
  /** The attestation of its registration, verified again by the import; `undefined` if there is none. */
  readonly kept: KeptAttestation | undefined;
}

export interface ExportedKey extends Omit<TransferredKey, 'kept'> {
  readonly attestationTrusted: boolean;
  /** Hexadecimal; `null` if no trusted attestation contained it. */
  readonly serialNumber: string | null;
  /** `undefined` if no attestation is stored. */
  readonly proof: SignedEvidence | undefined;
}

export interface ExportedUser extends Omit<TransferredUser, 'keys'> {
  readonly keys: readonly ExportedKey[];
}
