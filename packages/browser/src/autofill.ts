import { ServiceFidoError } from './errors.js';
import { follow } from './single-flight.js';
import type { FormField } from './types.js';

/** Of its life: what is left must do for the finger and the way to the server. */
const FRESH = 0.8;
/** Timers stop while a laptop sleeps, so the clock is looked at now and then. */
const LOOK_MS = 10_000;
/** Before the server is asked again that did not answer, where it does not say. */
const PAUSE_S = 30;
const MOST_S = 86_400;

/** Makes a field one whose list shows passkeys (HTML, autofill detail token `webauthn`). */
export function offerIn(field: FormField | undefined): void {
  const tokens = field?.getAttribute('autocomplete')?.split(/\s+/) ?? [];
  if (!field || tokens.includes('webauthn')) return;
  const known = tokens.filter((token) => !['', 'on', 'off'].includes(token));
  const wanted = [...(known.length > 0 ? known : ['username']), 'webauthn'];
  field.setAttribute('autocomplete', wanted.join(' '));
}

/**
 * Asks while a ceremony with this lifetime in milliseconds is fresh. The autofill list of a form waits for as long
 * as people read the page, and no ceremony lives that long.
 *
 * @returns `undefined` when it was not answered in time: then it must begin again
 */
export async function whileFresh<T>(
  timeout: number,
  outer: AbortSignal,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const controller = new AbortController();
  const unlink = follow(outer, controller);
  const stale = Date.now() + timeout * FRESH;
  const look = () => Date.now() >= stale && controller.abort();
  const timer = setInterval(look, Math.min(timeout * FRESH, LOOK_MS));
  document.addEventListener('visibilitychange', look);
  try {
    return await ask(controller.signal);
  } catch (error) {
    if (controller.signal.aborted && !outer.aborted) return undefined;
    throw error;
  } finally {
    unlink();
    clearInterval(timer);
    document.removeEventListener('visibilitychange', look);
  }
}

/**
 * Begins again when the page is visible again. A server that cannot be reached for a while is asked
 * again: nobody has done anything yet that could fail.
 */
export async function patiently<T>(signal: AbortSignal, begin: () => Promise<T>): Promise<T> {
  for (;;) {
    await happens(signal, (go) => {
      const look = () => document.hidden || go();
      document.addEventListener('visibilitychange', look, { signal });
      look();
    });
    try {
      return await begin();
    } catch (error) {
      if (!(error instanceof ServiceFidoError) || !isPassing(error)) throw error;
      await happens(signal, (go) => setTimeout(go, 1000 * pauseAfter(error)));
    }
  }
}

/** At most a day: a timer that is set for 25 days or more goes off at once. */
const pauseAfter = ({ retryAfter = PAUSE_S }: ServiceFidoError) => Math.min(retryAfter, MOST_S);

const isPassing = ({ kind, status = 0 }: ServiceFidoError) =>
  kind === 'network' || status === 429 || status >= 500;

const happens = (signal: AbortSignal, wait: (go: () => void) => void) =>
  new Promise<void>((go, fail) => {
    signal.throwIfAborted();
    signal.addEventListener('abort', () => fail(signal.reason));
    wait(go);
  });
