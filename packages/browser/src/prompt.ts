import { ServiceFidoError } from './errors.js';
import type { ErrorKind } from './types.js';

/** Kinds of the browser's exceptions (WebAuthn L3 §5.1.3, §5.1.4; names of Web IDL). */
const KIND_BY_EXCEPTION: Record<string, ErrorKind> = {
  NotAllowedError: 'cancelled',
  AbortError: 'aborted',
  InvalidStateError: 'already_registered',
  SecurityError: 'bad_domain',
  NotSupportedError: 'unsupported',
  ConstraintError: 'unsupported',
  OperationError: 'busy',
};

/**
 * Opens the browser's prompt. Browsers report a timeout as a refusal, so the elapsed time distinguishes the two.
 *
 * @param timeout timeout of the prompt in milliseconds
 */
export async function prompt(
  timeout: number | undefined,
  open: () => Promise<Credential | null>,
): Promise<PublicKeyCredential> {
  const openedAt = performance.now();
  try {
    const credential = await open();
    if (credential) return credential as PublicKeyCredential;
  } catch (cause) {
    const kind = KIND_BY_EXCEPTION[(cause as Error | undefined)?.name ?? ''] ?? 'unsupported';
    const hasTimedOut = timeout !== undefined && performance.now() - openedAt >= timeout;
    throw new ServiceFidoError(kind === 'cancelled' && hasTimedOut ? 'timeout' : kind, { cause });
  }
  throw new ServiceFidoError('cancelled');
}

/** Returns the name of the browser's exception. Browsers have none for a timeout. */
export const exceptionName = (error: unknown): string =>
  (error as ServiceFidoError).kind === 'timeout'
    ? 'TimeoutError'
    : ((error as { cause?: Error }).cause?.name ?? 'NotAllowedError');
