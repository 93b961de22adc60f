import { ServiceFidoError } from './errors.js';
import type { ErrorKind } from './types.js';

/** What the browser's exceptions mean (L3 §5.1.3, §5.1.4; WebIDL's names). */
const KIND_OF_EXCEPTION: Record<string, ErrorKind> = {
  NotAllowedError: 'cancelled',
  AbortError: 'aborted',
  InvalidStateError: 'already_registered',
  SecurityError: 'bad_domain',
  NotSupportedError: 'unsupported',
  ConstraintError: 'unsupported',
  OperationError: 'busy',
};

/** Opens the browser's prompt. Browsers report a timeout as a refusal, so the clock distinguishes them. */
export async function prompt(
  timeout: number | undefined,
  open: () => Promise<Credential | null>,
): Promise<PublicKeyCredential> {
  const opened = performance.now();
  try {
    const credential = await open();
    if (credential) return credential as PublicKeyCredential;
  } catch (cause) {
    const kind = KIND_OF_EXCEPTION[(cause as Error | undefined)?.name ?? ''] ?? 'unsupported';
    const late = timeout !== undefined && performance.now() - opened >= timeout;
    throw new ServiceFidoError(kind === 'cancelled' && late ? 'timeout' : kind, { cause });
  }
  throw new ServiceFidoError('cancelled');
}

/** What the browser called it; browsers have no name for a timeout. */
export const nameOf = (error: unknown): string =>
  (error as ServiceFidoError).kind === 'timeout'
    ? 'TimeoutError'
    : ((error as { cause?: Error }).cause?.name ?? 'NotAllowedError');
