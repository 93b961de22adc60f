import type { CborEntries, CborInput } from './cbor-writer.js';
import type { KeyPair } from './key-pair.js';

type Change<T> = (value: T) => T;

/** Things to do wrong in either ceremony, one at a time. Everything is signed after the change. */
export interface Tweaks {
  /** Sets members of the client data; a member that is undefined is left out. */
  readonly clientData?: Readonly<Record<string, unknown>>;
  /** Changes clientDataJSON as bytes. */
  readonly clientDataJSON?: Change<Buffer>;
  readonly rpIdHash?: Buffer;
  /** UP, UV, BE, BS; AT and ED follow from what is there. */
  readonly flags?: Change<number>;
  readonly signCount?: number;
  /** Authenticator extension outputs; their presence sets ED. */
  readonly extensions?: CborEntries;
  /** Changes authenticator data as bytes. */
  readonly authenticatorData?: Change<Buffer>;
  /** Signs with another key. */
  readonly signingKey?: KeyPair;
}

/** Things to do wrong in a registration. */
export interface RegistrationTweaks extends Tweaks {
  /** The credential ID inside the authenticator data. */
  readonly attestedCredentialId?: Buffer;
  readonly aaguid?: Buffer;
  /** Changes the members of the COSE_Key. */
  readonly coseKey?: Change<Map<number | string, CborInput>>;
  /** Replaces the COSE_Key as bytes. */
  readonly coseKeyBytes?: Buffer;
  readonly fmt?: CborInput;
  /** Changes the members of the attestation statement. */
  readonly statement?: Change<Map<string, CborInput>>;
  /** Replaces the attestation statement. */
  readonly attStmt?: CborInput;
  /** Changes the attestation object as bytes. */
  readonly attestationObject?: Change<Buffer>;
}

/** Things to do wrong in an assertion. */
export interface AuthenticationTweaks extends Tweaks {
  /** Changes the finished signature. */
  readonly signature?: Change<Buffer>;
  /** Another user handle, or none (null). */
  readonly userHandle?: string | null;
}
