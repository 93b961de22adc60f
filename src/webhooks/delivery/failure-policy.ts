import { SECOND_MS, HOUR_MS, DAY_MS } from '../../platform/common/durations.js';
import type { Webhook } from '../webhook.entity.js';

/**
 * Decides what follows a failed message: it is sent again after a pause (`afterFailure`, `isWebhookDue`), the webhook
 * is switched off (`afterFailure`), or the message is set aside (`isRefusedForLong`, `maySetAside`). `Delivery` asks
 * in this order: a message is set aside first, and only then the failure counts against the webhook.
 */

/** How long a webhook may fail before it is switched off. */
const MAX_FAILING_MS = 3 * DAY_MS;
/**
 * The number of failures before it is switched off. In three days there are 26 or more; there are fewer if this server
 * was stopped meanwhile, or if its clock was set forward.
 */
const MIN_FAILURES_WHEN_OFF = 20;

/** How long a message may be refused while others arrive, before it is set aside. */
const SET_ASIDE_AFTER_MS = HOUR_MS;
/** The maximum number of messages of a webhook that are set aside; beyond that, it waits. */
const MAX_SET_ASIDE = 1_000;

/** If others arrive, the receiver works, and a failed message is tried again soon. */
const LONGEST_PAUSE_BESIDE_OTHERS_MS = 60 * SECOND_MS;

const FIRST_PAUSE_MS = 5 * SECOND_MS;
const GROWTH = 3;
const LONGEST_PAUSE_MS = 4 * HOUR_MS;
/** The random share of a pause, so that webhooks that failed together do not all return at once. */
const SPREAD = 0.2;

/**
 * Whether an attempt is due. One that is more than the longest pause away was delayed by a clock that has
 * been set back since.
 */
export const isWebhookDue = (dueAt: number, now: number): boolean =>
  dueAt <= now || dueAt > now + LONGEST_PAUSE_MS;

/**
 * Whether a message has been refused for so long that it may be set aside, if others arrive. Both times are of the
 * monotonic clock: a step of the clock must not give a message up.
 */
export const isRefusedForLong = (refusedSince: number, now: number): boolean =>
  now - refusedSince >= SET_ASIDE_AFTER_MS;

/** Whether a webhook may have this many messages more that are set aside. */
export const maySetAside = (messages: number, alreadySetAside: number): boolean =>
  alreadySetAside + messages <= MAX_SET_ASIDE;

export interface FailedDelivery {
  readonly now: number;
  /** Whether a message has arrived since the last failure: then a new series begins. */
  readonly hasProgress: boolean;
  /** Whether the receiver answers that it no longer exists. */
  readonly isGone: boolean;
  /** Whether messages after the failed one arrived. */
  readonly othersArrive: boolean;
}

/**
 * Returns the series of failures with one more, when the next attempt is due, and whether the webhook is off instead:
 * after three days and twenty failures, or if the receiver no longer exists.
 *
 * @param random from 0 to 1
 */
export function afterFailure(
  series: Pick<Webhook, 'failures' | 'failingSince'>,
  { now, hasProgress, isGone, othersArrive }: FailedDelivery,
  random: number,
) {
  const isFirst = series.failingSince === null || hasProgress;
  const failures = isFirst ? 1 : series.failures + 1;
  // A later time than now is of a clock that has been set back since.
  const failingSince = isFirst ? now : Math.min(series.failingSince ?? now, now);
  const longest = othersArrive ? LONGEST_PAUSE_BESIDE_OTHERS_MS : Infinity;
  return {
    failures,
    failingSince,
    dueAt: now + Math.min(pauseMs(failures, random), longest),
    isOff: isGone || (failures >= MIN_FAILURES_WHEN_OFF && now - failingSince >= MAX_FAILING_MS),
  };
}

/** Returns the pause after n failures in a row: 5 s, 15 s, 45 s, and so on up to four hours. */
function pauseMs(failures: number, random: number): number {
  const pause = Math.min(FIRST_PAUSE_MS * GROWTH ** (failures - 1), LONGEST_PAUSE_MS);
  return Math.round(pause * (1 - SPREAD * random));
}
