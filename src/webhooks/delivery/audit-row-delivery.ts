import { Injectable } from '@nestjs/common';
import { auditKind } from '../webhook-kinds.js';
import type { DeliveryMemory, TimedTurn, Turn } from './delivery-memory.js';
import { WebhookBacklog } from './webhook-backlog.js';
import { WebhookClient, type FailedDeliveryOutcome } from './webhook-client.js';
import { auditMessage } from './webhook-message.js';
import { LEEWAY, WebhookState, wantsAction, type Receiver } from './webhook-state.js';

/** Rows that are read and sent before their arrival is stored. */
const WINDOW = 100;
/** The time for rows of the audit trail at the end of a turn. */
const ROWS_MS = 2_000;

type Window = Awaited<ReturnType<AuditRowDelivery['windowOf']>>;

/**
 * Sends rows of the audit trail to a receiver, one after another: none is ever set aside. They have time of their own
 * after the events, so that neither many events nor many rows hold up the others.
 */
@Injectable()
export class AuditRowDelivery {
  constructor(
    private readonly backlog: WebhookBacklog,
    private readonly client: WebhookClient,
    private readonly state: WebhookState,
  ) {}

  /**
   * Sends rows until there are none left, one does not arrive, or the time is over.
   *
   * @returns whether there was anything to send
   * @throws WebhookChanged if the webhook has been changed; the driver's error
   */
  async deliver(receiver: Receiver, turn: Turn): Promise<boolean> {
    const end = performance.now() + ROWS_MS;
    const mayBegin = () => turn.mayGoOn() && performance.now() < end;
    let hadRows = false;
    let next: Receiver | undefined = receiver;
    while (next && mayBegin()) {
      const window = await this.windowOf(next, turn.memory.arrivedRow);
      hadRows ||= window.wanted.length > 0;
      next = await this.sendWindow(next, window, { ...turn, mayBegin });
    }
    return hadRows;
  }

  private async windowOf(receiver: Receiver, arrivedRow: number) {
    // The webhook may have been read before the turn that moved its position.
    const seq = Math.max(receiver.auditUpTo ?? 0, arrivedRow);
    const { rows, ...page } = await this.backlog.rowsAfter(receiver, { seq, limit: WINDOW });
    return {
      wanted: rows.filter(({ action }) => wantsAction(receiver.kinds, action)),
      seq,
      ...page,
    };
  }

  /** @returns the receiver if the next window follows */
  private async sendWindow(
    receiver: Receiver,
    window: Window,
    turn: TimedTurn,
  ): Promise<Receiver | undefined> {
    const { memory } = turn;
    const { arrived, failed } = await this.send(receiver, window, turn);
    if (failed && turn.mayGoOn()) {
      memory.isRowRefused = true;
      const { othersArrive, isEventRefused: othersFail } = memory;
      const failure = { ...failed, othersArrive, othersFail };
      await this.state.noteFailure(receiver, { auditUpTo: arrived }, failure);
      return undefined;
    }
    if (arrived > window.seq) memory.isRowRefused = false;
    const moved = await this.advance(receiver, { ...window, arrived }, memory);
    return window.more && arrived === window.last ? moved : undefined;
  }

  /** @returns the number up to which all rows have arrived, and the first failure */
  private async send(
    receiver: Receiver,
    { wanted, seq, last }: Window,
    { memory, mayBegin }: TimedTurn,
  ): Promise<{ readonly arrived: number; readonly failed?: FailedDeliveryOutcome }> {
    let arrived = seq;
    for (const row of wanted) {
      if (!mayBegin()) return { arrived };
      const outcome = await this.client.post(receiver, auditMessage(row, receiver.format));
      const { action, seq: number } = row;
      this.state.noteAttempt(receiver, { kind: auditKind(action), number }, outcome);
      if (!outcome.arrived) return { arrived, failed: outcome };
      arrived = row.seq;
      memory.arrivedRow = arrived;
    }
    return { arrived: last };
  }

  private async advance(
    receiver: Receiver,
    { wanted, seq, more, arrived }: Window & { readonly arrived: number },
    { isEventRefused }: DeliveryMemory,
  ): Promise<Receiver> {
    const isNews = wanted.length > 0 ? arrived > seq : more || arrived - seq >= LEEWAY;
    if (!isNews) return receiver;
    // While an event is refused, arriving rows do not end the series of failures.
    return wanted.length === 0 || isEventRefused
      ? this.state.passOver(receiver, { auditUpTo: arrived })
      : this.state.noteArrival(receiver, { auditUpTo: arrived });
  }
}
