import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../platform/common/clock.js';
import { mapKey } from '../../platform/database/row-ids.js';
import type { NumberedEvent } from '../../events/numbering/numbered-events.js';
import { AuditRowDelivery } from './audit-row-delivery.js';
import type { DeliveryMemory, TimedTurn, Turn } from './delivery-memory.js';
import { maySetAside } from './failure-policy.js';
import { WebhookBacklog } from './webhook-backlog.js';
import { WebhookClient, type FailedDeliveryOutcome } from './webhook-client.js';
import { messageOf } from './webhook-message.js';
import { LEEWAY, WebhookState, type Receiver } from './webhook-state.js';

/** Events that are read and sent before their arrival is stored. */
const WINDOW = 100;
/** Concurrent messages to one receiver, of different users. */
const WIDTH = 8;
/** The length of a turn, after which no call begins, so that other webhooks get theirs. */
const TURN_MS = 10_000;

/** Events that were read together, as far as the receiver wants them. */
interface Window {
  readonly wanted: readonly NumberedEvent[];
  /** The number up to which the ledger was read. */
  readonly last: number;
  readonly more: boolean;
}

/** How far a turn has come. */
interface Progress {
  readonly receiver: Receiver;
  /** Whether the next window follows. */
  readonly goesOn: boolean;
  /** Whether rows of the audit trail may follow the events. */
  readonly mayGetRows: boolean;
}

/**
 * Sends events to a receiver, one message for each event, in the order of their numbers for each user. The last
 * number is stored once a window has arrived: an instance that takes over after a crash sends at most one window
 * again.
 */
@Injectable()
export class Delivery {
  /** Tests end a turn earlier. */
  turnMs = TURN_MS;
  private readonly logger = new Logger(Delivery.name);

  constructor(
    private readonly backlog: WebhookBacklog,
    private readonly client: WebhookClient,
    private readonly state: WebhookState,
    private readonly rows: AuditRowDelivery,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends events until there are none left, one does not arrive, or the turn ends; then rows of the audit trail, unless
   * an event failed and none after it arrived.
   *
   * @returns whether there was anything to send
   * @throws WebhookChanged if the webhook has been changed; the driver's error
   */
  async deliver(receiver: Receiver, turn: Turn): Promise<boolean> {
    const began = performance.now();
    const mayBegin = () => turn.mayGoOn() && performance.now() - began < this.turnMs;
    // The refused row is no longer wanted.
    if (receiver.auditUpTo === null) turn.memory.isRowRefused = false;
    let hadEvents = false;
    let progress: Progress = { receiver, goesOn: true, mayGetRows: true };
    while (progress.goesOn && turn.mayGoOn()) {
      const window = await this.windowOf(progress.receiver);
      hadEvents ||= window.wanted.length > 0;
      progress = await this.sendWindow(progress.receiver, window, { ...turn, mayBegin });
    }
    if (!progress.mayGetRows || progress.receiver.auditUpTo === null) return hadEvents;
    return (await this.rows.deliver(progress.receiver, turn)) || hadEvents;
  }

  private async windowOf(receiver: Receiver): Promise<Window> {
    const { events, last, more } = await this.backlog.eventsAfter(receiver, WINDOW);
    return { wanted: events.filter(({ kind }) => receiver.kinds.has(kind)), last, more };
  }

  /** Sends a window, and stores how much of it has arrived. */
  private async sendWindow(receiver: Receiver, window: Window, turn: TimedTurn): Promise<Progress> {
    // Checked beforehand: a receiver that recovers in the middle of a turn has refused nothing.
    const otherWasWell = turn.memory.hasArrivals;
    const failed = await this.send(receiver, window, turn);
    // A call that this process aborted has not failed.
    const hasFailed = failed && turn.mayGoOn();
    const current =
      hasFailed && otherWasWell ? await this.setAside(receiver, window, turn) : receiver;
    const deliveredUpTo = deliveredAfter(current, window, turn);
    if (deliveredUpTo >= window.last) {
      const moved = await this.advance(current, window, turn);
      turn.memory.moveTo(window.last);
      return { receiver: moved, goesOn: window.more && turn.mayBegin(), mayGetRows: true };
    }
    const moved = hasFailed
      ? await this.storeFailure(current, deliveredUpTo, { failed, turn })
      : await this.storeProgress(current, deliveredUpTo, turn);
    return { receiver: moved ?? current, goesOn: false, mayGetRows: moved !== undefined };
  }

  /** @returns the first failure; `undefined` if all arrived */
  private async send(
    receiver: Receiver,
    { wanted }: Window,
    { memory, mayBegin }: TimedTurn,
  ): Promise<FailedDeliveryOutcome | undefined> {
    const unsent = wanted.filter(
      (event) => event.number > receiver.deliveredUpTo && !memory.hasArrived(event),
    );
    const domains = new Map(
      this.backlog.relyingPartiesOf(receiver).map((rp) => [mapKey(rp.id), rp.domain]),
    );
    const failed: FailedDeliveryOutcome[] = [];
    // A refused message does not stop the others, unless nothing arrives.
    const maySend = () =>
      mayBegin() && (failed.length === 0 || (memory.hasArrivals && failed.length < WIDTH));
    const sendOne = async (event: NumberedEvent) => {
      const relyingParty = domains.get(mapKey(event.relyingPartyId)) ?? '';
      const message = messageOf(event, { ...receiver, relyingParty });
      const outcome = await this.client.post(receiver, message);
      this.state.noteAttempt(receiver, event, outcome);
      if (outcome.arrived) memory.noteArrival(event);
      else {
        memory.noteFailure(event, outcome.failure, this.clock.elapsed());
        failed.push(outcome);
      }
      return outcome.arrived;
    };
    const byUser = Map.groupBy(
      unsent,
      ({ relyingPartyId, username }) => `${mapKey(relyingPartyId)} ${username}`,
    );
    const users = [...byUser.values()];
    const sendOfUsers = async () => {
      for (let events = users.shift(); events; events = users.shift()) {
        for (const event of events) {
          if (!maySend()) return;
          // The user's later events wait for this one.
          if (!(await sendOne(event))) break;
        }
      }
    };
    await Promise.all(Array.from({ length: WIDTH }, sendOfUsers));
    return failed[0];
  }

  private async advance(
    receiver: Receiver,
    { wanted, last, more }: Window,
    { memory }: Turn,
  ): Promise<Receiver> {
    if (wanted.length > 0) return this.storeArrival(receiver, last, memory);
    const isNear = !more && last - receiver.deliveredUpTo < LEEWAY;
    return isNear ? receiver : this.state.passOver(receiver, { deliveredUpTo: last });
  }

  /** Stores the arrivals before the turn ends or this process shuts down, so that they are not sent again. */
  private async storeProgress(
    receiver: Receiver,
    deliveredUpTo: number,
    { memory }: Turn,
  ): Promise<Receiver> {
    if (deliveredUpTo === receiver.deliveredUpTo) return receiver;
    const moved = await this.storeArrival(receiver, deliveredUpTo, memory);
    memory.moveTo(deliveredUpTo);
    return moved;
  }

  /** @returns the receiver if it may get rows: it is still on, and accepts other events */
  private async storeFailure(
    receiver: Receiver,
    deliveredUpTo: number,
    { failed, turn: { memory } }: { readonly failed: FailedDeliveryOutcome; readonly turn: Turn },
  ): Promise<Receiver | undefined> {
    memory.moveTo(deliveredUpTo);
    const { othersArrive, isRowRefused: othersFail } = memory;
    const failure = { ...failed, othersArrive, othersFail };
    const moved = await this.state.noteFailure(receiver, { deliveredUpTo }, failure);
    return memory.hasArrivals ? moved : undefined;
  }

  /** While a row is refused, arriving events do not end the series of failures. */
  private storeArrival(
    receiver: Receiver,
    deliveredUpTo: number,
    { isRowRefused }: DeliveryMemory,
  ): Promise<Receiver> {
    return isRowRefused
      ? this.state.passOver(receiver, { deliveredUpTo })
      : this.state.noteArrival(receiver, { deliveredUpTo });
  }

  /** Sets aside messages that were refused for long while others arrived, so that they block nothing. */
  private async setAside(receiver: Receiver, window: Window, turn: Turn): Promise<Receiver> {
    const rejected = turn.memory.rejectedAtFront(window.wanted, this.clock.elapsed());
    if (rejected.length === 0 || !maySetAside(rejected.length, receiver.setAside)) return receiver;
    const wanted = window.wanted.filter((event) => !rejected.some((one) => one.event === event));
    const deliveredUpTo = deliveredAfter(receiver, { ...window, wanted }, turn);
    const moved = await this.state.setAside(receiver, deliveredUpTo, rejected);
    // Afterwards: this process would pass over messages that were neither delivered nor stored.
    turn.memory.moveTo(deliveredUpTo);
    const host = new URL(receiver.url).host;
    const what = `${rejected.length} messages of ${receiver.tenant} to ${host} are set aside`;
    this.logger.warn(`${what}: refused for an hour, while others arrived.`);
    return moved;
  }
}

/** The number up to which all events have arrived; some after the first missing one may have arrived, too. */
function deliveredAfter(
  { deliveredUpTo }: Receiver,
  { wanted, last }: Window,
  { memory }: Turn,
): number {
  const first = wanted.find((event) => event.number > deliveredUpTo && !memory.hasArrived(event));
  return Math.max(deliveredUpTo, first ? first.number - 1 : last);
}
