import type { Type } from '@nestjs/common';
import type { Code } from '../../platform/errors/catalogue.js';
import { errorOf } from '../../platform/validation/field-validator.js';
import { firstFault } from '../../platform/validation/flat-checks.js';
import type { Failure } from '../../webauthn/failure.js';
import type { MetadataIndex } from '../../webauthn/metadata/metadata-index.js';

/** The trusted authorities and models, the same for all ceremonies. */
export interface TrustedSources {
  readonly metadata: MetadataIndex;
  /** Trust anchors in DER. */
  readonly anchors: readonly Buffer[];
}

/** The verdict on one ceremony: a line of output. */
export interface Verdict {
  readonly id: string | null;
  readonly ok: boolean;
  /** Why the ceremony failed; null if it is valid. */
  readonly failure:
    Failure | 'body' | 'no-ceremony' | 'unknown-credential' | 'transaction' | 'internal' | null;
  readonly code: Code | null;
  readonly format: string | null;
  /** Whether the attestation is trusted; null if there is none to check. */
  readonly trusted: boolean | null;
  readonly detail: string | null;
  /** SHA-256 of the transaction that a valid assertion confirms, Base64URL; absent if there is none. */
  readonly transaction?: string;
  /** The recorded members that a valid ceremony does not prove; absent if it was refused. */
  readonly notProven?: readonly string[];
  /**
   * With --second-opinion: the result of `@simplewebauthn/server`, `valid` or the reason, if it differs; otherwise
   * null.
   */
  readonly secondOpinion?: string | null;
}

/** The findings about a ceremony, up to its failure if it failed. */
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

/** @throws CeremonyRefusal for the first rule that the body breaks, as the server throws it */
export function checkBody(dto: Type, body: object): void {
  const fault = firstFault(dto, body);
  if (fault === undefined) return;
  const { code, message } = errorOf(fault);
  throw new CeremonyRefusal('body', code, message);
}
