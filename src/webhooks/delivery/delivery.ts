import { Injectable, Logger } from '@nestjs/common';
import { AuditReader, type ForwardAuditPage } from '../../audit/audit-reader.js';
import { Clock } from '../../platform/common/clock.js';
import { NumberedEvents, type NumberedEvent } from '../../events/numbering/numbered-events.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import type { Tenant } from '../../tenancy/tenant.entity.js';
import type { Webhook } from '../webhook.entity.js';
import { failureText } from './failure-words.js';
import type { DeliveryMemory } from './delivery-memory.js';
import { maySetAside } from './failure-policy.js';
import { auditMessage, messageOf } from './webhook-message.js';
import { WebhookClient, type DeliveryOutcome } from './webhook-client.js';
import { WebhookState, wantsAction, type Receiver } from './webhook-state.js';

/** Events that are read and sent before their arrival is stored. */
const WINDOW = 100;
/** Concurrent messages to one receiver, of different users. */
const WIDTH = 8;
/** How many events a webhook may be behind without any to send, before its position is moved. */
const LEEWAY = 1_000;
/** The number of events that are read to find out whether a webhook has one pending. */
const MAX_PENDING = 1_000;
/** The length of a turn, after which no call begins, so that other webhooks get theirs. */
const TURN_MS = 10_000;
/** The time for rows of the audit trail at the end of a turn. */
const ROWS_MS = 2_000;

type FailedOutcome = Exclude<DeliveryOutcome, { arrived: true }>;

/** Events that were read together, as far as the receiver wants them. */
interface Window {
  readonly wanted: readonly NumberedEvent[];
  /** The number up to which the ledger was read. */
  readonly last: number;
  readonly more: boolean;
}

type RowWindow = Awaited<ReturnType<Delivery['rowWindowOf']>>;

/** The relying parties of a webhook, and its position. */
type Place = Pick<Receiver, 'tenantId' | 'relyingParties' | 'deliveredUpTo'>;

interface Turn {
  /** The events that have arrived, which this process does not send again. */
  readonly memory: DeliveryMemory;
  /** Whether the sender may continue. */
  mayGoOn(): boolean;
}

/**
 * Sends events to a receiver, one message for each event, in the order of their numbers for each user. The last
 * number is stored once a window has arrived: an instance that takes over after a crash sends at most one window
 * again.
 */
@Injectable()
export class Delivery {
  private readonly logger = new Logger(Delivery.name);

  constructor(
    private readonly events: NumberedEvents,
    private readonly audit: AuditReader,
    private readonly directory: RelyingPartyCache,
    readonly client: WebhookClient,
    private readonly state: WebhookState,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends events until there are none left, one does not arrive, or the turn ends.
   *
   * @returns whether there was anything to send
   * @throws WebhookChanged if the webhook has been changed; the driver's error
   */
  async deliver(receiver: Receiver, turn: Turn): Promise<boolean> {
    const began = performance.now();
    const mayBegin = () => turn.mayGoOn() && performance.now() - began < TURN_MS;
    let hadEvents = false;
    let last = receiver;
    for (let current = receiver, more = true; more && turn.mayGoOn();) {
      const window = await this.windowOf(current);
      hadEvents ||= window.wanted.length > 0;
      // Checked beforehand: a receiver that recovers in the middle of a turn has refused nothing.
      const otherWasWell = turn.memory.hasArrivals;
      const failed = await this.send(current, window, { ...turn, mayGoOn: mayBegin });
      // A call that this process aborted has not failed.
      const hasFailed = failed && turn.mayGoOn();
      if (hasFailed && otherWasWell) current = await this.setAside(current, window, turn);
      const deliveredUpTo = deliveredAfter(current, window, turn);
      if (deliveredUpTo < window.last) {
        if (hasFailed) {
          turn.memory.moveTo(deliveredUpTo);
          await this.fail(current, { deliveredUpTo }, failed, turn);
        } else await this.storeProgress(current, deliveredUpTo, turn);
        return hadEvents;
      }
      current = await this.advance(current, window, turn);
      turn.memory.moveTo(window.last);
      more = window.more && mayBegin();
      last = current;
    }
    if (last.auditUpTo === null) return hadEvents;
    return (await this.deliverRows(last, turn)) || hadEvents;
  }

  /**
   * Sends the rows of the audit trail that the receiver wants, one after another: none is ever set aside. They have time
   * of their own, so that neither many events nor many rows hold up the others.
   *
   * @returns whether there was anything to send
   * @throws as `deliver`
   */
  private async deliverRows(receiver: Receiver, turn: Turn): Promise<boolean> {
    const end = performance.now() + ROWS_MS;
    const mayBegin = () => turn.mayGoOn() && performance.now() < end;
    let hadRows = false;
    for (let current = receiver, more = true; more && mayBegin();) {
      const window = await this.rowWindowOf(current, turn.memory.arrivedRow);
      hadRows ||= window.wanted.length > 0;
      const { arrived, failed } = await this.sendRows(current, window, {
        ...turn,
        mayGoOn: mayBegin,
      });
      if (failed && turn.mayGoOn()) {
        turn.memory.isRowRefused = true;
        await this.fail(current, { auditUpTo: arrived }, failed, turn);
        return hadRows;
      }
      if (arrived > window.seq) turn.memory.isRowRefused = false;
      current = await this.advanceRows(current, window, arrived);
      more = window.more && arrived === window.last;
    }
    return hadRows;
  }

  private async rowWindowOf(receiver: Receiver, arrivedRow: number) {
    // The webhook may have been read before the turn that moved its position.
    const seq = Math.max(receiver.auditUpTo ?? 0, arrivedRow);
    const { rows, ...page } = await this.rowsAfter(receiver, { seq, limit: WINDOW });
    return {
      wanted: rows.filter(({ action }) => wantsAction(receiver.kinds, action)),
      seq,
      ...page,
    };
  }

  private rowsAfter(
    place: Place & { readonly tenant: string },
    range: { readonly seq: number; readonly limit: number },
  ): Promise<ForwardAuditPage> {
    const domains = place.relyingParties && this.partiesOf(place).map(({ domain }) => domain);
    return this.audit.after({ tenants: [place.tenant] }, { ...range, ...(domains && { domains }) });
  }

  /** @returns the number up to which all rows have arrived, and the first failure */
  private async sendRows(
    receiver: Receiver,
    { wanted, seq, last }: RowWindow,
    { memory, mayGoOn }: Turn,
  ): Promise<{ readonly arrived: number; readonly failed?: FailedOutcome }> {
    let arrived = seq;
    for (const row of wanted) {
      if (!mayGoOn()) return { arrived };
      const outcome = await this.client.post(receiver, auditMessage(row, receiver.format));
      if (!outcome.arrived) return { arrived, failed: outcome };
      arrived = row.seq;
      memory.arrivedRow = arrived;
    }
    return { arrived: last };
  }

  private async advanceRows(
    receiver: Receiver,
    { wanted, seq, more }: RowWindow,
    auditUpTo: number,
  ): Promise<Receiver> {
    const isNews = more || auditUpTo - seq >= LEEWAY;
    if (wanted.length === 0) {
      return isNews ? this.state.passOver(receiver, { auditUpTo }) : { ...receiver };
    }
    return auditUpTo > seq ? this.state.noteArrival(receiver, { auditUpTo }) : { ...receiver };
  }

  /**
   * The event up to which a webhook whose selection changes counts as served: the newest one, as for a new webhook, if
   * none of its events are pending.
   */
  async positionOf(webhook: Place & Pick<Webhook, 'events'>): Promise<number> {
    const { events, last, upto } = await this.eventsAfter(webhook, MAX_PENDING);
    const isServed = last >= upto && !events.some(({ kind }) => webhook.events.includes(kind));
    return isServed ? Math.max(webhook.deliveredUpTo, upto) : webhook.deliveredUpTo;
  }

  /** The same for the rows of the audit trail. */
  async rowPositionOf(
    webhook: Place & Pick<Webhook, 'events'> & { readonly tenant: Pick<Tenant, 'name'> },
    seq: number,
  ): Promise<number> {
    const place = { ...webhook, tenant: webhook.tenant.name };
    const { rows, last, more } = await this.rowsAfter(place, { seq, limit: MAX_PENDING });
    const kinds = new Set<string>(webhook.events);
    return more || rows.some(({ action }) => wantsAction(kinds, action)) ? seq : last;
  }

  private async windowOf(receiver: Receiver): Promise<Window> {
    const { events, last, more } = await this.eventsAfter(receiver, WINDOW);
    return { wanted: events.filter(({ kind }) => receiver.kinds.has(kind)), last, more };
  }

  private async eventsAfter(place: Place, limit: number) {
    const upto = await this.events.last();
    // Another instance may have added a relying party with events among these.
    await this.directory.catchUp();
    const range = { after: place.deliveredUpTo, upto, limit };
    return { ...(await this.events.after(this.partiesOf(place), range)), upto };
  }

  /** @returns the first failure; `undefined` if all arrived */
  private async send(
    receiver: Receiver,
    { wanted }: Window,
    { memory, mayGoOn }: Turn,
  ): Promise<FailedOutcome | undefined> {
    const unsent = wanted.filter(
      (event) => event.number > receiver.deliveredUpTo && !memory.hasArrived(event),
    );
    const domains = new Map(
      this.partiesOf(receiver).map((rp) => [rp.id.toString('hex'), rp.domain]),
    );
    const failed: FailedOutcome[] = [];
    // A refused message does not stop the others, unless nothing arrives.
    const mayBegin = () =>
      mayGoOn() && (failed.length === 0 || (memory.hasArrivals && failed.length < WIDTH));
    const sendOne = async (event: NumberedEvent) => {
      const relyingParty = domains.get(event.relyingPartyId.toString('hex')) ?? '';
      const message = messageOf(event, { ...receiver, relyingParty });
      const outcome = await this.client.post(receiver, message);
      if (outcome.arrived) memory.noteArrival(event);
      else {
        memory.noteFailure(event, outcome.failure, this.clock.now());
        failed.push(outcome);
      }
      return outcome.arrived;
    };
    const byUser = Map.groupBy(
      unsent,
      ({ relyingPartyId, username }) => `${relyingPartyId.toString('hex')} ${username}`,
    );
    const users = [...byUser.values()];
    const sendOfUsers = async () => {
      for (let events = users.shift(); events; events = users.shift()) {
        for (const event of events) {
          if (!mayBegin()) return;
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
    const isNear = !more && last - receiver.deliveredUpTo < LEEWAY;
    if (wanted.length === 0 && isNear) return { ...receiver };
    // While a row is refused, arriving events do not end the series of failures.
    return wanted.length === 0 || memory.isRowRefused
      ? this.state.passOver(receiver, { deliveredUpTo: last })
      : this.state.noteArrival(receiver, { deliveredUpTo: last });
  }

  /** Stores the arrivals before the turn ends or this process shuts down, so that they are not sent again. */
  private async storeProgress(
    receiver: Receiver,
    deliveredUpTo: number,
    { memory }: Turn,
  ): Promise<void> {
    if (deliveredUpTo === receiver.deliveredUpTo) return;
    await this.state.noteArrival(receiver, { deliveredUpTo });
    memory.moveTo(deliveredUpTo);
  }

  /** Sets aside messages that were refused for long while others arrived, so that they block nothing. */
  private async setAside(receiver: Receiver, window: Window, turn: Turn): Promise<Receiver> {
    const rejected = turn.memory.rejectedAtFront(window.wanted, this.clock.now());
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

  private async fail(
    receiver: Receiver,
    arrivals: Parameters<WebhookState['noteFailure']>[1],
    failed: FailedOutcome,
    { memory }: Turn,
  ) {
    const othersArrive = memory.hasArrivals || memory.isRowRefused;
    const isOff = await this.state.noteFailure(receiver, arrivals, {
      ...failed,
      othersArrive,
    });
    if (!isOff) return;
    const host = new URL(receiver.url).host;
    this.logger.warn(
      `A webhook of ${receiver.tenant} to ${host} is off: ${failureText(failed.failure)}.`,
    );
  }

  /** The selected relying parties, or all of the tenant. Events of removed relying parties are not sent. */
  private partiesOf({ tenantId, relyingParties }: Place): readonly RelyingParty[] {
    const own = this.directory.current.relyingParties.filter((rp) => rp.tenantId.equals(tenantId));
    return own.filter(({ id }) => relyingParties?.includes(id.toString('base64url')) ?? true);
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
