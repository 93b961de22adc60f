import type { TransferredKey } from '../../../users/transfer/transferred.js';
import type { ApiError } from '../../../platform/errors/api-error.js';

/** An object or row of a file, by the names of its members or columns. */
export type SourceRow = Readonly<Record<string, unknown>>;

/** The data of a user in a file's record; not checked yet. */
export interface SourceUser {
  readonly username: unknown;
  readonly displayName?: unknown;
  readonly subject?: unknown;
  /** The user's ID at the former server, which is not stored. */
  readonly formerId?: unknown;
  /** User handles, the `user.id` of WebAuthn first; `undefined` for one that could not be decoded. */
  readonly handles: readonly (Buffer | undefined)[];
  readonly createdAt?: unknown;
  readonly suspended?: unknown;
  readonly groups?: unknown;
  readonly keys: readonly SourceKey[];
  /** The number of keys that the former server accepted as a second factor only; they are not imported. */
  readonly secondFactors?: number;
}

/** Columns of a key that have bytes or another name in a file, or that no file contains. */
type OtherColumn =
  | 'credentialId'
  | 'publicKey'
  | 'algorithm'
  | 'deviceMetadata'
  | 'registeredAt'
  | 'importedFrom'
  | 'kept';

type SourceColumns = { readonly [Column in Exclude<keyof TransferredKey, OtherColumn>]?: unknown };

/** The data of a key in a file's record; not checked yet. */
export interface SourceKey extends SourceColumns {
  readonly credentialId: Buffer | undefined;
  readonly publicKey: Buffer | undefined;
  /**
   * The attestation object and the hash of the client data; `undefined` if the file does not contain them, or
   * they could not be decoded.
   */
  readonly attestationObject?: Buffer | undefined;
  readonly clientDataHash?: Buffer | undefined;
  /** The device metadata. */
  readonly keypair?: unknown;
  readonly createdAt?: unknown;
  /** The RP ID for which the key was registered, if the file contains it. */
  readonly rpId?: unknown;
}

/** A user of a file, or why the record is not a user. */
export type SourceRecord = { readonly line: number } & (
  | { readonly user: SourceUser }
  | {
      readonly fault: ApiError;
      /** Whether it shows that the file is not whole. A reader yields a few of them at most. */
      readonly isOfFile?: boolean;
    }
);

/**
 * Reads a file of a format while it arrives.
 *
 * @param domain the RP ID of the relying party that imports the file
 * @throws ApiError E0045R for a file of another format or relying party
 */
export type ReadRecords = (
  file: AsyncIterable<Buffer>,
  domain: string,
) => AsyncGenerator<SourceRecord>;
