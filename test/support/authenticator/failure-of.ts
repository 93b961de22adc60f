import { CeremonyError } from '../../../src/webauthn/failure.js';

/** The failure that the action ends with; `undefined` when it succeeds. Other errors pass through. */
export function failureOf(action: () => unknown): string | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    if (error instanceof CeremonyError) return error.failure;
    throw error;
  }
}
