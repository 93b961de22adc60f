import { isPermitted, isSupported } from './capabilities.js';
import { ServiceFidoError } from './errors.js';

/** Runs one call at a time: a new call aborts the pending one. */
export class SingleFlight {
  #pending: AbortController | undefined;

  /** Replaces the pending call before the first `await`, so that only the last of two quick clicks continues. */
  async run<T>(
    kind: 'create' | 'get',
    outer: AbortSignal | undefined,
    call: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    this.abort();
    const controller = (this.#pending = new AbortController());
    const unlink = abortWith(outer, controller);
    try {
      if (!isSecureContext) throw new ServiceFidoError('insecure');
      if (!isSupported()) throw new ServiceFidoError('unsupported');
      if (!isPermitted(kind)) throw new ServiceFidoError('embedded');
      return await call(controller.signal);
    } catch (cause) {
      // An abort reason can be any value, so check the signal instead of the exception.
      if (controller.signal.aborted) throw new ServiceFidoError('aborted', { cause });
      // The browser, or a password manager that replaces its API, returned something that cannot be read.
      throw cause instanceof ServiceFidoError
        ? cause
        : new ServiceFidoError('unsupported', { cause });
    } finally {
      unlink();
      if (this.#pending === controller) this.#pending = undefined;
    }
  }

  abort(): void {
    this.#pending?.abort();
  }
}

/** Aborts the controller when the signal is aborted. Returns a function that removes this link. */
export function abortWith(
  signal: AbortSignal | null | undefined,
  controller: AbortController,
): () => void {
  const abort = () => controller.abort();
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort);
  return () => signal?.removeEventListener('abort', abort);
}
