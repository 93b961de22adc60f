import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import type { Unit } from '../platform/database/commit/unit.js';
import { ensureExpected, type ExpectedTags } from '../platform/http/versions.js';
import { NumberedEvents } from '../events/numbering/numbered-events.js';
import { eventJson } from '../events/event.answer.js';
import { ocsfOfEvent } from '../events/event.ocsf.js';
import { RelyingPartyCache } from '../tenancy/scope/relying-party-cache.js';
import { failureText } from './delivery/failure-words.js';
import { contentOf } from './delivery/message-content.js';
import type { TenantWebhook } from './webhook-rows.js';
import type { SetAsideView } from './webhook.answer.js';
import { SetAsideMessage } from './webhook.entity.js';
import { RECOUNT_SET_ASIDE, FORGET_SET_ASIDE } from './webhook.statements.js';

/** Messages that a receiver refused while others arrived, for inspection by an administrator. */
@Injectable()
export class SetAsideMessages {
  constructor(
    @InjectRepository(SetAsideMessage) private readonly messages: Repository<SetAsideMessage>,
    private readonly events: NumberedEvents,
    private readonly relyingParties: RelyingPartyCache,
  ) {}

  /** Lists the messages in the order of their events, with their content; `null` if the event no longer exists. */
  async list({ id, tenant, format }: TenantWebhook) {
    const rows = await this.messages.find({ where: { webhookId: id }, order: { number: 'ASC' } });
    const events = await this.events.find(
      rows.map(({ eventId, number }) => ({ id: eventId, number })),
    );
    const byNumber = new Map(events.map((event) => [event.number, event]));
    const setAside = rows.map(({ number, at, failure }): SetAsideView => {
      const setAsideAt = new Date(at).toISOString();
      const refused = { setAsideAt, failure: failureText(failure), message: null };
      const event = byNumber.get(number);
      const relyingParty = event && this.domainOf(event.relyingPartyId);
      if (!event || relyingParty === undefined) return refused;
      return format === 'ocsf'
        ? { ...refused, record: ocsfOfEvent(eventJson(event, relyingParty), tenant.name) }
        : { ...refused, message: contentOf(event, { tenant: tenant.name, relyingParty }) };
    });
    return { setAside, version: rows.at(-1)?.number ?? 0 };
  }

  /**
   * Deletes the messages that are set aside now; later ones are kept.
   *
   * @throws ApiError E0053R if the list has changed since the expected state
   */
  async forgetting({ id }: TenantWebhook, expected: ExpectedTags): Promise<Unit> {
    const last = await this.messages.findOne({
      where: { webhookId: id },
      order: { number: 'DESC' },
    });
    const newest = last?.number ?? 0;
    ensureExpected(expected, newest);
    const listed = { id, newest };
    return [RECOUNT_SET_ASIDE.step(listed), FORGET_SET_ASIDE.step(listed)];
  }

  /** @returns `undefined` if the relying party was removed */
  private domainOf(id: Buffer): string | undefined {
    return this.relyingParties.current.all.find((rp) => rp.id.equals(id))?.domain;
  }
}
