import { Injectable, Logger } from '@nestjs/common';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { Leases } from '../../database/leases/leases.js';
import type { LeasedRounds } from '../../database/leases/leased-rounds.js';
import { NumberedEvents } from '../../ledger/numbering/numbered-events.js';
import { measureWebhooks } from '../webhook-metrics.js';
import { Backlog } from './backlog.js';
import { Delivery } from './delivery.js';
import { isDue } from './retry.js';
import { Overtaken, WebhookState } from './webhook-state.js';
import type { Receiver } from './webhook-state.js';

const EVERY_MS = 1_000;
/** Receivers at a time. One that does not answer keeps its place for ten seconds, and then waits. */
const MOST_AT_ONCE = 32;

/**
 * Sends messages to all webhooks. The one instance that holds the lease does so; how far each was told is
 * stored with the webhook, so that any other instance can go on from there.
 */
@Injectable()
export class WebhookSender implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly rounds: LeasedRounds;
  /** Turns under way, by the webhook's ID. */
  private readonly turns = new Map<string, Promise<void>>();
  /** What is known of each webhook's events beyond `told`. */
  private readonly backlogs = new Map<string, Backlog>();

  constructor(
    private readonly state: WebhookState,
    private readonly delivery: Delivery,
    private readonly events: NumberedEvents,
    private readonly clock: Clock,
    leases: Leases,
  ) {
    this.rounds = leases.rounds('webhooks', {
      everyMs: EVERY_MS,
      work: () => this.work(),
      again: 'Webhooks are looked at again in a moment',
      context: 'Webhooks',
    });
  }

  onApplicationBootstrap(): void {
    this.rounds.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.rounds.stop(() => {
      this.delivery.leave();
      return Promise.all(this.turns.values());
    });
  }

  /** Looks for work now instead of in a second; resolves when all that were due have had their turn. */
  async sendDue(): Promise<void> {
    await this.rounds.round();
    await Promise.all(this.turns.values());
  }

  private async work(): Promise<void> {
    const receivers = await this.state.receivers();
    this.forgetOthers(receivers);
    // Without webhooks there is no need to write a lease.
    if (receivers.length === 0 || !(await this.rounds.hold())) return measureWebhooks([], 0);
    measureWebhooks(receivers, await this.state.givenUp());
    const last = await this.events.last();
    const now = this.clock.now();
    for (const receiver of receivers) {
      if (isDue(receiver.dueAt, now) && receiver.told < last) this.begin(receiver);
    }
  }

  private begin(receiver: Receiver): void {
    const id = receiver.id.toString('hex');
    if (this.turns.has(id) || this.turns.size >= MOST_AT_ONCE) return;
    const backlog = this.backlogs.get(id) ?? new Backlog();
    this.backlogs.set(id, backlog);
    const mayGoOn = () => this.rounds.mayGoOn;
    const turn = this.delivery
      .tell(receiver, { backlog, mayGoOn })
      .catch((error: unknown) => {
        if (error instanceof Overtaken) return;
        Logger.warn(`A webhook has another turn in a moment: ${String(error)}`, 'Webhooks');
      })
      .finally(() => this.turns.delete(id));
    this.turns.set(id, turn);
  }

  private forgetOthers(receivers: readonly Receiver[]): void {
    const ids = new Set(receivers.map(({ id }) => id.toString('hex')));
    for (const id of this.backlogs.keys()) {
      if (!ids.has(id) && !this.turns.has(id)) this.backlogs.delete(id);
    }
  }
}
