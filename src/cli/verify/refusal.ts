import type { Type } from '@nestjs/common';
import type { Code } from '../../platform/errors/catalogue.js';
import { errorOf } from '../../platform/validation/rule.js';
import { faultOf } from '../../platform/validation/flat-checks.js';
import type { Verdict } from './verdict.js';

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

/**
 * Checks a body by the rules of its call, as the server's validation does.
 *
 * @throws Refusal for the first rule that it breaks
 */
export function checkBody(dto: Type, body: object): void {
  const fault = faultOf(dto, body);
  if (fault === undefined) return;
  const { code, message } = errorOf(fault);
  throw new CeremonyRefusal('body', code, message);
}
