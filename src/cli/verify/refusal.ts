import type { Type } from '@nestjs/common';
import { CATALOGUE, type Code } from '../../errors/catalogue.js';
import { faultOf } from '../../validation/flat-checks.js';
import type { Verdict } from './verdict.js';

/** A refusal of a ceremony that does not come from the verification core. */
export class Refusal extends Error {
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
  const [code, sentence] = typeof fault === 'string' ? [fault, CATALOGUE[fault][1]] : fault;
  throw new Refusal('body', code, sentence);
}
