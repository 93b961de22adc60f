import { ServiceFidoError } from './errors.js';
import { abortWith } from './single-flight.js';
import type { FormField } from './types.js';

/** Share of a ceremony's lifetime after which it is renewed. The rest is for the user's answer and the result call. */
const FRESH_SHARE = 0.8;
/** Interval in which the clock is checked: a long timer would stop while a laptop sleeps. */
const CHECK_INTERVAL_MS = 10_000;
/** Delay before the next attempt if the server names none. */
const DEFAULT_DELAY_S = 30;
/** Longest delay, one day: timers of 25 days or more expire at once. */
const MAX_DELAY_S = 86_400;

/** Adds the token `webauthn` to a field's `autocomplete`, so that its autofill list shows passkeys (HTML). */
export function offerPasskeysIn(field: FormField | undefined): void {
  const tokens = field?.getAttribute('autocomplete')?.split(/\s+/) ?? [];
  if (!field || tokens.includes('webauthn')) return;
  const details = tokens.filter((token) => !['', 'on', 'off'].includes(token));
  const newTokens = [...(details.length > 0 ? details : ['username']), 'webauthn'];
  field.setAttribute('autocomplete', newTokens.join(' '));
}

/**
 * Prompts until a ceremony needs renewal. An autofill list waits while the page is open, longer than any ceremony
 * lasts.
 *
 * @param timeout lifetime of the ceremony in milliseconds
 * @param outer aborts the prompt
 * @returns `undefined` if the user did not answer in time: begin a new ceremony
 */
export async function promptUntilRenewal<T>(
  timeout: number,
  outer: AbortSignal,
  promptUser: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const controller = new AbortController();
  const unlink = abortWith(outer, controller);
  const renewAt = Date.now() + timeout * FRESH_SHARE;
  const check = () => Date.now() >= renewAt && controller.abort();
  const timer = setInterval(check, Math.min(timeout * FRESH_SHARE, CHECK_INTERVAL_MS));
  document.addEventListener('visibilitychange', check);
  try {
    return await promptUser(controller.signal);
  } catch (error) {
    if (controller.signal.aborted && !outer.aborted) return undefined;
    throw error;
  } finally {
    unlink();
    clearInterval(timer);
    document.removeEventListener('visibilitychange', check);
  }
}

/**
 * Begins a new ceremony when the page is visible. Repeats after temporary errors, since the user has not done
 * anything yet that could fail.
 */
export async function beginWithRetries<T>(
  signal: AbortSignal,
  begin: () => Promise<T>,
): Promise<T> {
  for (;;) {
    await waitFor(signal, (resolve) => {
      const check = () => document.hidden || resolve();
      document.addEventListener('visibilitychange', check, { signal });
      check();
    });
    try {
      return await begin();
    } catch (error) {
      if (!(error instanceof ServiceFidoError) || !isTemporary(error)) throw error;
      await waitFor(signal, (resolve) => setTimeout(resolve, 1000 * delayAfter(error)));
    }
  }
}

const delayAfter = ({ retryAfter = DEFAULT_DELAY_S }: ServiceFidoError) =>
  Math.min(retryAfter, MAX_DELAY_S);

const isTemporary = ({ kind, status = 0 }: ServiceFidoError) =>
  kind === 'network' || status === 429 || status >= 500;

/** Waits until `start` calls its argument, or rejects when the signal is aborted. */
export const waitFor = (signal: AbortSignal, start: (resolve: () => void) => void) =>
  new Promise<void>((resolve, reject) => {
    signal.throwIfAborted();
    signal.addEventListener('abort', () => reject(signal.reason));
    start(resolve);
  });
