import { Injectable, Logger } from '@nestjs/common';
import { AuditReader } from '../../audit/audit-reader.js';
import { Database } from '../../platform/database/database.js';
import { LeasedJob } from '../../platform/database/jobs/leased-job.js';
import { mapKey } from '../../platform/database/row-ids.js';
import { NumberedEvents } from '../../events/numbering/numbered-events.js';
import { gauge } from '../../platform/telemetry/metrics.js';
import { traceJob } from '../../platform/telemetry/tracing.js';
import { DeliveryMemory } from './delivery-memory.js';
import { Delivery } from './delivery.js';
import { WebhookClient } from './webhook-client.js';
import { isWebhookDue } from './failure-policy.js';
import { WebhookChanged, WebhookState, type Receiver } from './webhook-state.js';

const states = gauge({
  name: 'servicefido_webhooks',
  help: 'Webhooks by state, as the sending instance sees them: well, failing, given-up',
  labelNames: ['state'],
});

const EVERY_MS = 1_000;
/** Concurrent receivers. One that does not answer occupies its place for ten seconds, and then waits. */
const MAX_AT_ONCE = 32;
/** The maximum number of these that failed last: hanging calls leave the other places to receivers that work. */
const MAX_FAILING_AT_ONCE = 16;
/** Rounds until a webhook without pending or new events is checked again. */
const QUIET_ROUNDS = 10;

class WebhookMemory {
  /** The state of the events after `deliveredUpTo`, at this address. */
  delivery = new DeliveryMemory();
  url: string | undefined;
  /** Increases with each turn of any webhook: the smallest number had its turn longest ago. */
  lastTurn = 0;
  /** The sum of the newest numbers when there was nothing to send, and the round until which this is valid. */
  quiet: { readonly last: number; readonly untilRound: number } | undefined;
}

/**
 * Sends messages to all webhooks, on the instance that holds the lease. Each webhook's row stores the number of its
 * last event, so that another instance can continue from there. Webhooks take turns: whenever a place is free, the
 * webhook begins whose last turn was longest ago. Failing webhooks share half of the places.
 */
@Injectable()
export class WebhookSender extends LeasedJob {
  private readonly logger = new Logger(WebhookSender.name);
  /** Current turns, by the webhook's ID. */
  private readonly turns = new Map<string, Promise<void>>();
  private failingTurns = 0;
  private readonly memories = new Map<string, WebhookMemory>();
  /** Webhooks that wait for a turn, in order; read again in each round. */
  private waiting: Receiver[] = [];
  private turnCount = 0;
  private roundCount = 0;

  constructor(
    private readonly state: WebhookState,
    private readonly delivery: Delivery,
    private readonly client: WebhookClient,
    private readonly events: NumberedEvents,
    private readonly audit: AuditReader,
    database: Database,
  ) {
    super(database, {
      name: 'webhooks',
      everyMs: EVERY_MS,
      retryMessage: 'Webhooks are looked at again in a moment',
    });
  }

  protected override onStop(): Promise<unknown> {
    this.client.abort();
    return Promise.all(this.turns.values());
  }

  /** Sends immediately instead of in the next second; resolves when all due webhooks have had their turn. */
  async sendDue(): Promise<void> {
    await this.runNow();
    while (this.turns.size > 0) await Promise.all(this.turns.values());
  }

  protected override async work(): Promise<void> {
    const receivers = await this.state.receivers();
    this.forgetOthers(receivers);
    // Without webhooks, writing a lease is unnecessary.
    if (receivers.length === 0 || !(await this.hold())) return measure([], 0);
    measure(receivers, await this.state.givenUp());
    const lastEvent = await this.events.last();
    const lastRow = receivers.some(({ auditUpTo }) => auditUpTo !== null)
      ? await this.audit.last()
      : 0;
    // It rises with each event and each row.
    const last = lastEvent + lastRow;
    const isBehind = ({ deliveredUpTo, auditUpTo }: Receiver) =>
      deliveredUpTo < lastEvent || (auditUpTo ?? lastRow) < lastRow;
    const now = this.clock.now();
    this.roundCount += 1;
    this.waiting = receivers
      .filter((receiver) => isWebhookDue(receiver.dueAt, now) && isBehind(receiver))
      .filter(({ id }) => !this.isQuiet(this.memoryOf(id), last))
      .sort((one, other) => this.memoryOf(one.id).lastTurn - this.memoryOf(other.id).lastTurn);
    this.fillPlaces(last);
  }

  /** @param last the sum of the numbers of the newest event and audit row in this round */
  private fillPlaces(last: number): void {
    while (this.turns.size < MAX_AT_ONCE && this.mayGoOn) {
      const isFull = this.failingTurns >= MAX_FAILING_AT_ONCE;
      const at = this.waiting.findIndex((one) => !isFull || !isFailing(one));
      const [next] = at < 0 ? [] : this.waiting.splice(at, 1);
      if (!next) return;
      if (!this.turns.has(mapKey(next.id))) this.begin(next, last);
    }
  }

  private begin(receiver: Receiver, last: number): void {
    const key = mapKey(receiver.id);
    const failing = isFailing(receiver) ? 1 : 0;
    this.failingTurns += failing;
    const turn = traceJob('webhook-turn', () => this.takeTurn(receiver, last))
      .catch((error: unknown) => {
        if (error instanceof WebhookChanged) return;
        this.logger.warn(`A webhook has another turn in a moment: ${String(error)}`);
      })
      .finally(() => {
        this.turns.delete(key);
        // It was read before the turn moved its position: another turn would send the same events again.
        this.waiting = this.waiting.filter(({ id }) => !id.equals(receiver.id));
        this.failingTurns -= failing;
        this.fillPlaces(last);
      });
    this.turns.set(key, turn);
  }

  private async takeTurn(receiver: Receiver, last: number): Promise<void> {
    const memory = this.memoryOf(receiver.id);
    this.turnCount += 1;
    memory.lastTurn = this.turnCount;
    // A new address has neither accepted nor refused anything yet.
    if (memory.url !== receiver.url) memory.delivery = new DeliveryMemory();
    memory.url = receiver.url;
    const mayGoOn = () => this.mayGoOn;
    const hadEvents = await this.delivery.deliver(receiver, { memory: memory.delivery, mayGoOn });
    memory.quiet = hadEvents ? undefined : { last, untilRound: this.roundCount + QUIET_ROUNDS };
  }

  /**
   * The rounds are limited because not only new events can give a webhook something to send, but also a change of the
   * webhook, or a relying party that this process has just discovered.
   */
  private isQuiet({ quiet }: WebhookMemory, last: number): boolean {
    return quiet !== undefined && quiet.last === last && this.roundCount < quiet.untilRound;
  }

  private memoryOf(id: Buffer): WebhookMemory {
    const memory = this.memories.get(mapKey(id)) ?? new WebhookMemory();
    this.memories.set(mapKey(id), memory);
    return memory;
  }

  private forgetOthers(receivers: readonly Receiver[]): void {
    const keys = new Set(receivers.map(({ id }) => mapKey(id)));
    for (const key of this.memories.keys()) {
      if (!keys.has(key) && !this.turns.has(key)) this.memories.delete(key);
    }
  }
}

const isFailing = ({ failingSince }: Receiver): boolean => failingSince !== null;

/** Sets the states of webhooks for a scrape. Instances that do not send report zeros. */
function measure(on: readonly Receiver[], givenUp: number): void {
  const failing = on.filter(({ failures }) => failures > 0).length;
  states.set({ state: 'well' }, on.length - failing);
  states.set({ state: 'failing' }, failing);
  states.set({ state: 'given-up' }, givenUp);
}
