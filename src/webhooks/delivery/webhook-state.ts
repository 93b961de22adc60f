import { Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, Not, type Repository } from 'typeorm';
import { EventRetention } from '../../events/event-retention.js';
import { Clock } from '../../platform/common/clock.js';
import { DAY_MS } from '../../platform/common/durations.js';
import { mustChange, updateStep } from '../../platform/database/commit/step-of.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { Database } from '../../platform/database/database.js';
import { mapKey } from '../../platform/database/row-ids.js';
import { EVERY_AUDIT, auditKind, type WebhookKind } from '../webhook-kinds.js';
import { Webhook, type Attempt } from '../webhook.entity.js';
import {
  DELIVERED_AT_LEAST,
  RECOUNT_SET_ASIDE,
  SET_ASIDE,
  WEBHOOKS_ON,
  type WebhookRow,
} from '../webhook.statements.js';
import { WebhookSecrets } from '../webhook-secrets.js';
import type { RejectedMessage } from './delivery-memory.js';
import { afterFailure, type FailedDelivery } from './failure-policy.js';
import { failureOfStatus, failureText } from './failure-words.js';
import type { DeliveryOutcome } from './webhook-client.js';

/** An active webhook, for the sender. */
export interface Receiver extends Omit<
  WebhookRow,
  'events' | 'relyingParties' | 'secret' | 'formerSecret' | 'formerUntil'
> {
  readonly kinds: ReadonlySet<string>;
  /** Row IDs of relying parties, Base64URL; `null` for all of the tenant. */
  readonly relyingParties: readonly string[] | null;
  /** Newest first. */
  readonly secrets: readonly string[];
}

/** How far everything has arrived; a member that is absent stays as it was. */
type Arrivals = Partial<Pick<Receiver, 'deliveredUpTo' | 'auditUpTo'>>;

interface NotedFailure extends Pick<FailedDelivery, 'isGone' | 'othersArrive'> {
  readonly failure: string;
  /** Of an event whether a row is refused too, and of a row whether an event is: their series is one. */
  readonly othersFail: boolean;
}

/** How many events or rows a webhook may be behind without any to send, before its position is moved. */
export const LEEWAY = 1_000;

/**
 * Events are kept for a webhook that received something within this time: after a long failure it may have much
 * to catch up on.
 */
const CATCHING_UP_MS = DAY_MS;

/** The number of attempts that are stored for a webhook. */
const MAX_ATTEMPTS = 50;

/** Whether the audit rows of an action are among these kinds. */
export const wantsAction = (kinds: ReadonlySet<string>, action: string): boolean =>
  kinds.has(EVERY_AUDIT) || kinds.has(auditKind(action));

/** The webhook has changed since it was read: an administrator changed it, or there are two senders by mistake. */
export class WebhookChanged extends Error {}

/**
 * Stores the position and state of each webhook. A change is stored only if the webhook has not changed since
 * it was read.
 */
@Injectable()
export class WebhookState {
  /** Operators know lines about webhooks by this context, as docs/week.md lists it. */
  private readonly logger = new Logger('Delivery');
  /** Attempts that the next change of their webhook stores, newest first, by the webhook's ID. */
  private readonly attempts = new Map<string, readonly Attempt[]>();

  constructor(
    @InjectRepository(Webhook) private readonly webhooks: Repository<Webhook>,
    private readonly database: Database,
    private readonly secrets: WebhookSecrets,
    private readonly clock: Clock,
    retention: EventRetention,
  ) {
    retention.registerFollower(() => this.waitingAfter());
  }

  async receivers(): Promise<Receiver[]> {
    const rows = await this.database.query(WEBHOOKS_ON);
    const keys = new Set(rows.map(({ id }) => mapKey(id)));
    for (const key of this.attempts.keys()) if (!keys.has(key)) this.attempts.delete(key);
    return rows.map((row) => this.receiverOf(row));
  }

  private receiverOf(stored: WebhookRow): Receiver {
    const { events, relyingParties, secret, formerSecret, formerUntil, ...row } = stored;
    return {
      ...row,
      secrets: this.secrets.open({ id: row.id, secret, formerSecret, formerUntil }),
      kinds: new Set(JSON.parse(events) as WebhookKind[]),
      relyingParties: relyingParties === null ? null : (JSON.parse(relyingParties) as string[]),
    };
  }

  /** The number of the event after which a webhook waits for events; `undefined` if none waits. */
  private async waitingAfter(): Promise<number | undefined> {
    const deliveredSince = this.clock.now() - CATCHING_UP_MS;
    const [row] = await this.database.query(DELIVERED_AT_LEAST, { deliveredSince });
    return row?.deliveredUpTo ?? undefined;
  }

  /** The number of webhooks that are off because nothing arrived. */
  givenUp(): Promise<number> {
    const off = { offSince: Not(IsNull()), failingSince: Not(IsNull()) };
    return this.webhooks.countBy({ ...off, tenant: { closedAt: 0 } });
  }

  /** Adds an attempt to the webhook's log. It is stored with the next change of its position or its state. */
  noteAttempt(
    { id }: Pick<Receiver, 'id'>,
    { kind, number }: Pick<Attempt, 'kind' | 'number'>,
    outcome: DeliveryOutcome,
  ): void {
    const { arrived, tookMs } = outcome;
    const attempt = {
      at: this.clock.now() - tookMs,
      tookMs,
      outcome: outcome.arrived ? failureOfStatus(outcome.status) : outcome.failure,
      arrived,
      kind,
      number,
    };
    const key = mapKey(id);
    this.attempts.set(key, [attempt, ...(this.attempts.get(key) ?? [])].slice(0, MAX_ATTEMPTS));
  }

  /** The last attempts of a webhook, newest first. */
  async attemptsOf({ id }: Pick<Webhook, 'id'>): Promise<readonly Attempt[]> {
    const found = await this.webhooks.findOne({
      where: { id },
      select: { id: true, attempts: true },
    });
    return found?.attempts ?? [];
  }

  /** @throws WebhookChanged */
  async noteArrival(receiver: Receiver, arrivals: Arrivals): Promise<Receiver> {
    const moved = { ...arrivals, failures: 0, failingSince: null };
    await this.change(receiver, { ...moved, deliveredAt: this.clock.now() });
    return { ...receiver, ...moved };
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
    const { id } = receiver;
    const at = this.clock.now();
    const rows = messages.map(({ event: { number, id: eventId }, failure }) =>
      SET_ASIDE.step({ webhookId: id, number, eventId, at, failure }),
    );
    const moved = { deliveredUpTo, failures: 0, failingSince: null };
    await this.change(receiver, moved, [...rows, RECOUNT_SET_ASIDE.step({ id, newest: 0 })]);
    return { ...receiver, ...moved, setAside: receiver.setAside + rows.length };
  }

  /** @throws WebhookChanged */
  async passOver(receiver: Receiver, arrivals: Arrivals): Promise<Receiver> {
    await this.change(receiver, arrivals);
    return { ...receiver, ...arrivals };
  }

  /**
   * Delays the next attempt, or switches the webhook off, as `afterFailure` decides; logs that it is off.
   *
   * @returns the receiver, unless the webhook is off
   * @throws WebhookChanged
   */
  async noteFailure(
    receiver: Receiver,
    arrivals: Arrivals,
    { failure, othersFail, ...attempt }: NotedFailure,
  ): Promise<Receiver | undefined> {
    const now = this.clock.now();
    const moved = { ...receiver, ...arrivals };
    const hasMoved =
      moved.deliveredUpTo > receiver.deliveredUpTo ||
      (moved.auditUpTo ?? 0) > (receiver.auditUpTo ?? 0);
    const failed = { ...attempt, now, hasProgress: hasMoved && !othersFail };
    const { isOff, ...series } = afterFailure(receiver, failed, Math.random());
    const offSince = isOff ? now : null;
    await this.change(receiver, { ...series, ...arrivals, failure, failedAt: now, offSince });
    if (!isOff) return { ...moved, ...series };
    const { host } = new URL(receiver.url);
    this.logger.warn(`A webhook of ${receiver.tenant} to ${host} is off: ${failureText(failure)}.`);
    return undefined;
  }

  private async change(
    { id, deliveredUpTo, auditUpTo, changedAt, failures }: Receiver,
    changes: Partial<Webhook>,
    further: readonly Step[] = [],
  ): Promise<void> {
    const places = { deliveredUpTo, auditUpTo: auditUpTo ?? IsNull() };
    const asSeen = { id, ...places, changedAt, failures, offSince: IsNull() };
    const log = await this.logWithNewOnes(id);
    const change = mustChange(updateStep(this.webhooks, asSeen, { ...changes, ...log }));
    const isChanged = await this.database.commit([change, ...further], { background: true });
    if (!isChanged) throw new WebhookChanged();
    this.attempts.delete(mapKey(id));
  }

  private async logWithNewOnes(id: Buffer): Promise<Partial<Pick<Webhook, 'attempts'>>> {
    const newOnes = this.attempts.get(mapKey(id));
    if (!newOnes) return {};
    return { attempts: [...newOnes, ...(await this.attemptsOf({ id }))].slice(0, MAX_ATTEMPTS) };
  }
}
