import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { Database } from '../../database/database.js';
import type { EventKind } from '../../ledger/event.entity.js';
import {
  NOTE_ARRIVAL,
  NOTE_FAILURE,
  PASS_OVER,
  WEBHOOKS_GIVEN_UP,
  WEBHOOKS_ON,
} from '../webhook.statements.js';
import { WebhookSecrets } from '../webhook-secrets.js';
import type { StoredSecrets } from '../webhook-secrets.js';
import { PATIENCE_MS, pauseMs } from './retry.js';

/** A webhook that is on, as its sender needs it. */
export interface Receiver {
  readonly id: Buffer;
  readonly tenant: string;
  readonly tenantId: Buffer;
  readonly url: string;
  readonly kinds: ReadonlySet<EventKind>;
  /** IDs of rows, Base64URL; `null`: all of the tenant. */
  readonly relyingParties: readonly string[] | null;
  /** The newest first. */
  readonly secrets: readonly string[];
  /** The number up to which it was told. */
  readonly told: number;
  readonly dueAt: number;
  readonly failures: number;
  readonly failingSince: number | null;
}

interface Row extends Omit<Receiver, 'kinds' | 'relyingParties' | 'secrets'>, StoredSecrets {
  readonly id: Buffer;
  /** JSON. */
  readonly events: string;
  readonly relyingParties: string | null;
}

/** Two senders by mistake, or an administrator meanwhile: what was read no longer holds. */
export class Overtaken extends Error {}

/** How far each webhook was told, and how it fares. Each change asks for what was read before. */
@Injectable()
export class WebhookState {
  constructor(
    private readonly database: Database,
    private readonly secrets: WebhookSecrets,
    private readonly clock: Clock,
  ) {}

  /** All that are on. */
  async receivers(): Promise<Receiver[]> {
    const rows = await this.database.query<Row>(WEBHOOKS_ON).all();
    return rows.map((row) => receiverOf(row, this.secrets.open(row)));
  }

  /** How many are off because nothing arrived. */
  async givenUp(): Promise<number> {
    const [row] = await this.database.query<{ n: number }>(WEBHOOKS_GIVEN_UP).all();
    return Number(row?.n ?? 0);
  }

  /**
   * @param told all up to this number has arrived
   * @throws Overtaken
   */
  async noteArrival(receiver: Receiver, told: number): Promise<Receiver> {
    await this.move(receiver, NOTE_ARRIVAL, [told, this.clock.now()]);
    return { ...receiver, told, failures: 0, failingSince: null };
  }

  /** @throws Overtaken */
  async passOver(receiver: Receiver, told: number): Promise<Receiver> {
    await this.move(receiver, PASS_OVER, [told]);
    return { ...receiver, told };
  }

  /**
   * Puts the next attempt off, or the webhook after three days, or when its address is gone.
   *
   * @param told all up to this number has arrived
   * @returns whether it is off now
   * @throws Overtaken
   */
  async noteFailure(
    receiver: Receiver,
    told: number,
    { failure, isGone }: { readonly failure: string; readonly isGone: boolean },
  ): Promise<boolean> {
    const now = this.clock.now();
    // Something arrived since: it fails from now on.
    const isFirst = receiver.failingSince === null || told > receiver.told;
    const failures = isFirst ? 1 : receiver.failures + 1;
    const since = isFirst ? now : (receiver.failingSince ?? now);
    const isOff = isGone || now - since >= PATIENCE_MS;
    const dueAt = now + pauseMs(failures, Math.random());
    const values = [told, failures, since, failure, now, dueAt, isOff ? now : null];
    await this.move(receiver, NOTE_FAILURE, values);
    return isOff;
  }

  private async move(
    { id, told }: Receiver,
    sql: string,
    values: readonly (number | string | null)[],
  ) {
    const step = { sql, params: [...values, id, told], guard: true };
    if (!(await this.database.commit([step], { background: true }))) throw new Overtaken();
  }
}

function receiverOf(row: Row, secrets: readonly string[]): Receiver {
  const { id, tenant, tenantId, url, events, relyingParties, told } = row;
  const { dueAt, failures, failingSince } = row;
  return {
    ...{ id, tenant, tenantId, url, secrets, told, dueAt, failures, failingSince },
    kinds: new Set(JSON.parse(events) as EventKind[]),
    relyingParties: relyingParties === null ? null : (JSON.parse(relyingParties) as string[]),
  };
}
