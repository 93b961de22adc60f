/**
 * What browsers call the end of a prompt (W3C WebAuthn L3 §5.1.3 and §5.1.4, WebIDL's names); `TimeoutError`
 * is the SDK's word for a refusal that came when the time was over. Nothing else is kept.
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

/** The name where it is one of a browser's; else `other`. */
export const promptErrorOf = (name: string): string => (KNOWN.has(name) ? name : 'other');
