/**
 * Names of the exceptions with which browsers end a prompt (W3C WebAuthn L3 §5.1.3 and §5.1.4, WebIDL's names);
 * the SDK reports `TimeoutError` for a refusal after the timeout. No other name is stored.
 */
export const PROMPT_ERRORS = [
  'AbortError',
  'ConstraintError',
  'InvalidStateError',
  'NotAllowedError',
  'NotSupportedError',
  'OperationError',
  'SecurityError',
  'TimeoutError',
  'UnknownError',
] as const;

const KNOWN: ReadonlySet<string> = new Set(PROMPT_ERRORS);

/** The name if it is known, else `other`. */
export const promptErrorOf = (name: string): string => (KNOWN.has(name) ? name : 'other');
