import type { Code } from '../../platform/errors/catalogue.js';
import type { Failure } from '../../webauthn/failure.js';

/** The verdict on one ceremony: a line of output. */
export interface Verdict {
  readonly id: string | null;
  readonly ok: boolean;
  /** Why the ceremony failed; null when it is good. */
  readonly failure:
    Failure | 'body' | 'no-ceremony' | 'unknown-credential' | 'transaction' | 'internal' | null;
  /** The code that the server would answer with. */
  readonly code: Code | null;
  readonly format: string | null;
  /** Whether the attestation is trusted; null where there is none to check. */
  readonly trusted: boolean | null;
  readonly detail: string | null;
  /** SHA-256 of the transaction that a good assertion agrees to, Base64URL; absent where there is none. */
  readonly transaction?: string;
  /**
   * With --second-opinion: what `@simplewebauthn/server` says, `valid` or why not, where it differs; else
   * null.
   */
  readonly secondOpinion?: string | null;
}

/** What was found about a ceremony before it failed, if it did. */
export interface Findings {
  format: string | null;
  trusted: boolean | null;
  detail: string | null;
  transaction?: string;
}
