import type { KeptAttestation, SignedEvidence } from '../attestations/evidence.js';
import { USER_HANDLE_BYTES } from '../user.entity.js';

/** A user as exports write and imports take it, with everything that lets the keys go on working. */
export interface TransferredUser {
  readonly username: string;
  readonly displayName: string;
  /** What the customer's own application calls the user. */
  readonly subject: string | undefined;
  /** User handles, 1 to 64 bytes each: WebAuthn's user.id, then those that only some keys carry. */
  readonly handles: readonly [Buffer, ...Buffer[]];
  /** Milliseconds since 1970, as all times here. */
  readonly createdAt: number;
  readonly keys: readonly TransferredKey[];
}

/** The user handle here: the first that is as long as those made here. The others are further handles. */
export const ownHandleOf = ({ handles }: TransferredUser): Buffer | undefined =>
  handles.find(({ length }) => length === USER_HANDLE_BYTES);

export interface TransferredKey {
  readonly credentialId: Buffer;
  /** COSE_Key. */
  readonly publicKey: Buffer;
  readonly algorithm: number;
  readonly signCount: number;
  readonly aaguid: Buffer;
  readonly deviceName: string;
  /** JSON text. */
  readonly keypair: string | null;
  /** Comma-separated. */
  readonly transports: string;
  readonly attestationFormat: string;
  readonly attestationType: string;
  readonly userVerified: boolean;
  /** Whether its user verification counts. */
  readonly uvInitialized: boolean;
  readonly madeUnderAuthority: boolean;
  /** `null` where the server that it came from did not keep it. */
  readonly backupEligible: boolean | null;
  readonly backedUp: boolean;
  readonly enabled: boolean;
  readonly registeredAt: number;
  readonly lastUsedAt: number | null;
  /** The kind of server that it came from; `null` where it was registered here. */
  readonly importedFrom: string | null;
  /** Flags of the authenticator data at the registration; `null`, as the next two, where nobody kept them. */
  readonly registrationFlags: number | null;
  readonly attestationAsked: boolean | null;
  readonly residentKey: boolean | null;
  /** The attestation of its registration, verified again by the import; `undefined` where there is none. */
  readonly kept: KeptAttestation | undefined;
}

/** A key as it is stored here. */
export interface ExportedKey extends Omit<TransferredKey, 'kept'> {
  readonly attestationTrusted: boolean;
  /** Hexadecimal; `null` if no trusted attestation contained it. */
  readonly serialNumber: string | null;
  /** `undefined` where no attestation is kept. */
  readonly proof: SignedEvidence | undefined;
}

export interface ExportedUser extends Omit<TransferredUser, 'keys'> {
  readonly keys: readonly ExportedKey[];
}
