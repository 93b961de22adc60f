import { Injectable } from '@nestjs/common';
import { ok } from '../../platform/http/ok.js';
import { eventJson } from '../../events/event.answer.js';
import { NumberedEvents } from '../../events/numbering/numbered-events.js';
import type { AdminScope } from '../../tenancy/scope/scope.interceptor.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { domainsOf } from './events.service.js';
import { ForwardCursors } from './forward-cursors.js';

/** Reads events forward, for programs that follow them. */
@Injectable()
export class ForwardEvents {
  constructor(
    private readonly numbered: NumberedEvents,
    private readonly cursors: ForwardCursors,
    private readonly directory: RelyingPartyCache,
  ) {}

  /**
   * Returns the events after a cursor, in the order of their numbers.
   *
   * @returns `next`, always, for the following call; `more` if that call may find events at once
   * @throws ApiError E0045R for a cursor that was not the `next` of an answer
   */
  async after(scope: AdminScope, cursor: string, limit: number) {
    const after = await this.cursors.numberOf(cursor);
    const upto = await this.numbered.last();
    // Another instance may have added a relying party with events among these.
    await this.directory.catchUp();
    const rps = scope.now();
    const domains = domainsOf(rps);
    const { events, last, more } = await this.numbered.after(rps, { after, upto, limit });
    return ok({
      events: events.map((event) =>
        eventJson(event, domains.get(event.relyingPartyId.toString('hex')) ?? ''),
      ),
      next: await this.cursors.cursorOf(last),
      more,
    });
  }
}
