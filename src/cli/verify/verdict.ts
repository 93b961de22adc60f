import type { Type } from '@nestjs/common';
import type { Code } from '../../platform/errors/catalogue.js';
import { errorOf } from '../../platform/validation/rule.js';
import { faultOf } from '../../platform/validation/flat-checks.js';
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
  /** With --second-opinion: what `@simplewebauthn/server` says, `valid` or why not, where it differs; else null. */
  readonly secondOpinion?: string | null;
}

/** What was found about a ceremony before it failed, if it did. */
export interface Findings {
  format: string | null;
  trusted: boolean | null;
  detail: string | null;
  transaction?: string;
}

/** A refusal of a ceremony that does not come from the verification core. */
export class CeremonyRefusal extends Error {
  constructor(
    readonly failure: NonNullable<Verdict['failure']>,
    readonly code: Code | null,
    detail: string,
  ) {
    super(detail);
  }
}

/** @throws Refusal for the first rule that the body breaks, as the server throws it */
export function checkBody(dto: Type, body: object): void {
  const fault = faultOf(dto, body);
  if (fault === undefined) return;
  const { code, message } = errorOf(fault);
  throw new CeremonyRefusal('body', code, message);
}
