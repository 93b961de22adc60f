import type { NumberedEvent } from '../../events/numbering/numbered-events.js';
import { isRefusedForLong } from './failure-policy.js';

/** An event whose message is abandoned, and the reason. */
export interface RejectedMessage {
  readonly event: NumberedEvent;
  readonly failure: string;
}

/** A part of the sender's time for one webhook. */
export interface Turn {
  /** The events that have arrived, which this process does not send again. */
  readonly memory: DeliveryMemory;
  /** Whether the sender may continue. */
  mayGoOn(): boolean;
}

/** A turn of limited length. */
export interface TimedTurn extends Turn {
  /** Whether a further call may begin; those that have begun may end. */
  mayBegin(): boolean;
}

/**
 * What this process remembers of a webhook's events after the number up to which all have arrived. It is not
 * stored: a process that takes over sends these events again.
 */
export class DeliveryMemory {
  /** The number of the last row of the audit trail that has arrived; rows are sent in order. */
  arrivedRow = 0;
  /** Whether the receiver has refused the next row. */
  isRowRefused = false;
  private readonly arrived = new Set<number>();
  private readonly refused = new Map<
    number,
    { readonly since: number; readonly failure: string }
  >();

  /** Whether the receiver has accepted events after the first one that has not arrived. */
  get hasArrivals(): boolean {
    return this.arrived.size > 0;
  }

  /** Whether the receiver has refused an event that has not arrived since. */
  get isEventRefused(): boolean {
    return this.refused.size > 0;
  }

  /** Whether the receiver accepts some messages while it refuses others. */
  get othersArrive(): boolean {
    return this.hasArrivals || this.isRowRefused;
  }

  hasArrived({ number }: NumberedEvent): boolean {
    return this.arrived.has(number);
  }

  noteArrival({ number }: NumberedEvent): void {
    this.arrived.add(number);
    this.refused.delete(number);
  }

  /** @param now by the monotonic clock */
  noteFailure({ number }: NumberedEvent, failure: string, now: number): void {
    this.refused.set(number, { since: this.refused.get(number)?.since ?? now, failure });
  }

  /** Forgets the events up to a number. */
  moveTo(deliveredUpTo: number): void {
    for (const number of this.arrived) if (number <= deliveredUpTo) this.arrived.delete(number);
    for (const number of this.refused.keys())
      if (number <= deliveredUpTo) this.refused.delete(number);
  }

  /**
   * Returns the first events that have not arrived, if each was refused for so long that it is abandoned.
   *
   * @param now by the monotonic clock
   */
  rejectedAtFront(events: readonly NumberedEvent[], now: number): RejectedMessage[] {
    const waiting = events.filter((event) => !this.hasArrived(event));
    const end = waiting.findIndex(({ number }) => {
      const attempt = this.refused.get(number);
      return !attempt || !isRefusedForLong(attempt.since, now);
    });
    return waiting.slice(0, end < 0 ? undefined : end).map((event) => ({
      event,
      failure: this.refused.get(event.number)?.failure ?? '',
    }));
  }
}
