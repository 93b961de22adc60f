import type { KeptAttestation, Proof } from '../attestations/evidence.js';
import { USER_HANDLE_BYTES } from '../user.entity.js';

/** A user as exports write and imports take it, with everything that lets the keys go on working. */
export interface TransferredUser {
  readonly username: string;
  readonly displayName: string;
  /** What the customer's own application calls the user. */
  readonly subject: string | undefined;
  /** WebAuthn's user.id, then those that only some keys carry; 1 to 64 bytes each. */
  readonly handles: readonly [Buffer, ...Buffer[]];
  /** Milliseconds since 1970, as all times here. */
  readonly createdAt: number;
  readonly keys: readonly TransferredKey[];
}

/** The handle with which the user can go on here: the first that is as long as ours. The others are further ones. */
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
  /** `null` where its server did not keep it. */
  readonly backupEligible: boolean | null;
  readonly backedUp: boolean;
  readonly enabled: boolean;
  readonly registeredAt: number;
  readonly lastUsedAt: number | null;
  /** The kind of server that it came from; `null` where it was registered here. */
  readonly importedFrom: string | null;
  /** Flags of the authenticator data at the registration; these three are `null` where nobody kept them. */
  readonly registrationFlags: number | null;
  readonly attestationAsked: boolean | null;
  readonly residentKey: boolean | null;
  /** What its registration proved elsewhere. */
  readonly kept: KeptAttestation | undefined;
}

/** As it is stored here. */
export interface ExportedKey extends Omit<TransferredKey, 'kept'> {
  readonly attestationTrusted: boolean;
  /** `undefined` where nobody attested anything. */
  readonly proof: Proof | undefined;
}

export interface ExportedUser extends Omit<TransferredUser, 'keys'> {
  readonly keys: readonly ExportedKey[];
}
