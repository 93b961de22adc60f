import type { Type } from '@nestjs/common';
import { CATALOGUE, type Code } from '../../errors/catalogue.js';
import { faultOf } from '../../validation/flat-checks.js';
import type { Verdict } from './verdict.js';

/** A ceremony that something else refuses than the core. */
export class Refusal extends Error {
  constructor(
    readonly failure: NonNullable<Verdict['failure']>,
    readonly code: Code | null,
    detail: string,
  ) {
    super(detail);
  }
}

/** Holds a body against the rules of its call, as the server's validation does. */
export function checkBody(dto: Type, body: object): void {
  const fault = faultOf(dto, body);
  if (fault === undefined) return;
  const [code, sentence] = typeof fault === 'string' ? [fault, CATALOGUE[fault][1]] : fault;
  throw new Refusal('body', code, sentence);
}
