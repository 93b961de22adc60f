import { isSupported } from './capabilities.js';
import { ServiceFidoError } from './errors.js';

/** One call at a time: a newer one aborts the former. */
export class SingleFlight {
  #pending: AbortController | undefined;

  /** Takes the place before anything is awaited: of two quick clicks, only the last one goes on. */
  async run<T>(
    outer: AbortSignal | undefined,
    call: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    this.abort();
    const controller = (this.#pending = new AbortController());
    const unlink = follow(outer, controller);
    try {
      if (!isSecureContext) throw new ServiceFidoError('insecure');
      if (!isSupported()) throw new ServiceFidoError('unsupported');
      return await call(controller.signal);
    } catch (cause) {
      // Any value may be thrown as an abort reason, so the signal is asked and not the exception.
      throw controller.signal.aborted ? new ServiceFidoError('aborted', { cause }) : cause;
    } finally {
      unlink();
      if (this.#pending === controller) this.#pending = undefined;
    }
  }

  abort(): void {
    this.#pending?.abort();
  }
}

/** Aborts the controller as soon as the signal is, until the function that it returns is called. */
export function follow(signal: AbortSignal | undefined, controller: AbortController): () => void {
  const abort = () => controller.abort();
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort);
  return () => signal?.removeEventListener('abort', abort);
}
