/**
 * The connection broke, or the server fell silent, after it had been told to commit: the unit may be
 * stored or not (measured on a node that dies: one statement in five was). Playing it again blindly
 * would take its own first success for somebody else's; see `commitIdempotently`.
 */
export class OutcomeUnknown extends Error {
  readonly code = 'OUTCOME_UNKNOWN';

  /** @param hangs the server does not answer at all, so that asking it again is useless */
  constructor(
    cause: unknown,
    readonly hangs: boolean,
  ) {
    super('The connection to the database broke while committing.', { cause });
  }
}
