import { CborError, type CborFault } from './cbor.js';
import { CeremonyError, type Failure } from './failure.js';

/** The failure of a ceremony for each fault of its CBOR. */
export type CborFailures = Readonly<Record<CborFault, Failure>>;

/** For the attestation object, and the authenticator data in it. */
export const ATTESTATION_FAILURES: CborFailures = {
  cut: 'data-cut',
  'left-over': 'data-left-over',
  malformed: 'attestation-malformed',
};

/** Runs a decoder, and turns its refusal into a failure of the ceremony. */
export function withFailures<T>(failures: CborFailures, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (error instanceof CborError) throw new CeremonyError(failures[error.fault], error.message);
    throw error;
  }
}
