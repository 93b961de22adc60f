import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/common/clock.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { Database } from '../../platform/database/database.js';
import type { EventKind } from '../../events/event.entity.js';
import {
  NOTE_ARRIVAL,
  NOTE_FAILURE,
  NOTE_SET_ASIDE,
  PASS_OVER,
  SET_ASIDE,
  WEBHOOKS_GIVEN_UP,
  WEBHOOKS_ON,
  type WebhookRow,
} from '../webhook.statements.js';
import { WebhookSecrets } from '../webhook-secrets.js';
import type { RejectedMessage } from './delivery-memory.js';
import { afterFailure } from './retry.js';

/** An active webhook, for the sender. */
export interface Receiver extends Omit<
  WebhookRow,
  'events' | 'relyingParties' | 'secret' | 'formerSecret' | 'formerUntil'
> {
  readonly kinds: ReadonlySet<EventKind>;
  /** Row IDs of relying parties, Base64URL; `null` for all of the tenant. */
  readonly relyingParties: readonly string[] | null;
  /** Newest first. */
  readonly secrets: readonly string[];
}

/** The failure of an attempt. */
interface DeliveryFailure {
  readonly failure: string;
  readonly isGone: boolean;
  /** Whether messages after the failed one arrived. */
  readonly othersArrive: boolean;
}

/** The webhook has changed since it was read: an administrator changed it, or there are two senders by mistake. */
export class WebhookChanged extends Error {}

/**
 * Stores the position and state of each webhook. A change is stored only if the webhook has not changed since
 * it was read.
 */
@Injectable()
export class WebhookState {
  constructor(
    private readonly database: Database,
    private readonly secrets: WebhookSecrets,
    private readonly clock: Clock,
  ) {}

  async receivers(): Promise<Receiver[]> {
    const rows = await this.database.query(WEBHOOKS_ON);
    return rows.map((row) => this.receiverOf(row));
  }

  private receiverOf(stored: WebhookRow): Receiver {
    const { events, relyingParties, secret, formerSecret, formerUntil, ...row } = stored;
    return {
      ...row,
      secrets: this.secrets.open({ id: row.id, secret, formerSecret, formerUntil }),
      kinds: new Set(JSON.parse(events) as EventKind[]),
      relyingParties: relyingParties === null ? null : (JSON.parse(relyingParties) as string[]),
    };
  }

  /** The number of webhooks that are off because nothing arrived. */
  async givenUp(): Promise<number> {
    const [row] = await this.database.query(WEBHOOKS_GIVEN_UP);
    return Number(row?.n ?? 0);
  }

  /**
   * @param deliveredUpTo the number up to which all events have arrived
   * @throws WebhookChanged
   */
  async noteArrival(receiver: Receiver, deliveredUpTo: number): Promise<Receiver> {
    const arrival = { newDeliveredUpTo: deliveredUpTo, deliveredAt: this.clock.now() };
    await this.advance(NOTE_ARRIVAL.mustChange({ ...receiver, ...arrival }));
    return { ...receiver, deliveredUpTo, failures: 0, failingSince: null };
  }

  /**
   * Continues after refused messages, which are added to the list.
   *
   * @param deliveredUpTo the number up to which all events have arrived or are set aside
   * @throws WebhookChanged
   */
  async setAside(
    receiver: Receiver,
    deliveredUpTo: number,
    messages: readonly RejectedMessage[],
  ): Promise<Receiver> {
    const at = this.clock.now();
    const rows = messages.map(({ event: { number, id: eventId }, failure }) =>
      SET_ASIDE.step({ webhookId: receiver.id, number, eventId, at, failure }),
    );
    const further = rows.length;
    await this.advance(
      NOTE_SET_ASIDE.mustChange({ ...receiver, newDeliveredUpTo: deliveredUpTo, further }),
      rows,
    );
    const setAside = receiver.setAside + further;
    return { ...receiver, deliveredUpTo, failures: 0, failingSince: null, setAside };
  }

  /** @throws WebhookChanged */
  async passOver(receiver: Receiver, deliveredUpTo: number): Promise<Receiver> {
    await this.advance(PASS_OVER.mustChange({ ...receiver, newDeliveredUpTo: deliveredUpTo }));
    return { ...receiver, deliveredUpTo };
  }

  /**
   * Delays the next attempt, or switches the webhook off, as `afterFailure` decides.
   *
   * @param deliveredUpTo the number up to which all events have arrived
   * @returns whether it is off now
   * @throws WebhookChanged
   */
  async noteFailure(
    receiver: Receiver,
    deliveredUpTo: number,
    { failure, isGone, othersArrive }: DeliveryFailure,
  ): Promise<boolean> {
    const now = this.clock.now();
    const hasProgress = deliveredUpTo > receiver.deliveredUpTo;
    const attempt = { now, hasProgress, isGone, othersArrive };
    const { isOff, failures, failingSince, dueAt } = afterFailure(receiver, attempt, Math.random());
    const noted = NOTE_FAILURE.mustChange({
      ...receiver,
      newDeliveredUpTo: deliveredUpTo,
      newFailures: failures,
      failingSince,
      failure,
      failedAt: now,
      dueAt,
      offSince: isOff ? now : null,
    });
    await this.advance(noted);
    return isOff;
  }

  private async advance(step: Step, rows: readonly Step[] = []): Promise<void> {
    const isAdvanced = await this.database.commit([step, ...rows], { background: true });
    if (!isAdvanced) throw new WebhookChanged();
  }
}
