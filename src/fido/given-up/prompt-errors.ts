/**
 * Names of the exceptions by which browsers end a prompt (W3C WebAuthn L3 §5.1.3 and §5.1.4, WebIDL's names);
 * `TimeoutError` is the SDK's word for a refusal that came when the time was over. No other name is kept.
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

/** The name if it is one of these, else `other`. */
export const promptErrorOf = (name: string): string => (KNOWN.has(name) ? name : 'other');
