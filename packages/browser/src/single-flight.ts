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

/** Of its life: what is left must do for the finger and the way to the server. */
const FRESH = 0.8;

/**
 * Asks while a ceremony of so many milliseconds is fresh. The autofill list of a form waits for as long
 * as people read the page, and no ceremony lives that long.
 *
 * @returns `undefined` when it was not answered in time: then it must be begun anew
 */
export async function whileFresh<T>(
  timeout: number,
  signal: AbortSignal,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const controller = new AbortController();
  const unlink = follow(signal, controller);
  const timer = setTimeout(() => controller.abort(), timeout * FRESH);
  try {
    return await ask(controller.signal);
  } catch (error) {
    if (controller.signal.aborted && !signal.aborted) return undefined;
    throw error;
  } finally {
    clearTimeout(timer);
    unlink();
  }
}
