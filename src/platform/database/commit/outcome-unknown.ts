/**
 * The connection broke, or the server stopped answering, after the commit was sent, so the unit may be stored or
 * not (when a node died, one statement in five was stored).
 */
export class OutcomeUnknown extends Error {
  readonly code = 'OUTCOME_UNKNOWN';

  /** @param hangs whether the server does not answer at all, so that asking it again is useless */
  constructor(
    cause: unknown,
    readonly hangs: boolean,
  ) {
    super('The connection to the database broke while committing.', { cause });
  }
}
