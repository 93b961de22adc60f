import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Epochs, ORIGIN, type Epoch } from '../../platform/database/epochs.js';
import { CURSOR_BYTES, CursorCipher } from '../../platform/database/secrets/cursor-cipher.js';
import { SecretStore } from '../../platform/database/secrets/secret-store.js';
import { mapKey } from '../../platform/database/row-ids.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { ok } from '../../platform/http/ok.js';
import { eventJson } from '../../events/event.answer.js';
import { NumberedEvents } from '../../events/numbering/numbered-events.js';
import type { CallParties } from '../../tenancy/scope/scope.interceptor.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { domainsOf } from './events.service.js';

const BEGINNING = '0';
/** The maximum of an epoch's fork in a cursor, which needs it only for another future of the same backup. */
const MAX_FORK = 2 ** 32 - 1;
/** No installation has more events: no cursor contains a greater number. */
const MAX_NUMBER = 2 ** 44;

/**
 * Reads events forward, for programs that follow them. A cursor replaces the number of an event.
 *
 * A restored backup assigns numbers again that lost events had, but does not reuse their cursors: a cursor contains the
 * epoch in which its number was assigned, and `numberOf` refuses one behind lost events. All tenants share the numbers,
 * which would reveal the activity of the others; so a cursor is encrypted. It contains the epoch's number (1 byte), tag (3) and fork (4), and the event's number (8); see `Epoch`.
 */
@Injectable()
export class ForwardEvents implements OnModuleInit {
  private cipher!: CursorCipher;

  constructor(
    private readonly secrets: SecretStore,
    private readonly epochs: Epochs,
    private readonly numbered: NumberedEvents,
    private readonly relyingParties: RelyingPartyCache,
  ) {}

  async onModuleInit(): Promise<void> {
    this.cipher = await CursorCipher.open(this.secrets, 'event-cursor');
  }

  /**
   * Returns the events after a cursor, in the order of their numbers.
   *
   * @returns `next`, always, for the following call; `more` if that call may find events at once
   * @throws ApiError E0045R for a cursor that was not the `next` of an answer
   */
  async after(parties: CallParties, cursor: string, limit: number) {
    const after = await this.numberOf(cursor);
    const upto = await this.numbered.last();
    // Another instance may have added a relying party with events among these.
    await this.relyingParties.catchUp();
    const rps = parties.now();
    const domains = domainsOf(rps);
    const { events, last, more } = await this.numbered.after(rps, { after, upto, limit });
    return ok({
      events: events.map((event) =>
        eventJson(event, domains.get(mapKey(event.relyingPartyId)) ?? ''),
      ),
      next: await this.cursorOf(last),
      more,
    });
  }

  async cursorOf(number: number): Promise<string> {
    const epochs = await this.epochs.all();
    return this.seal(number, epochs.findLast(({ fork }) => fork < number) ?? ORIGIN);
  }

  /**
   * @throws ApiError E0045R for a text that is neither 0 nor the `next` of an answer; `cursor.epoch` for one
   *   behind events that a restore has undone, with the `next` to continue with
   */
  private async numberOf(cursor: string): Promise<number> {
    if (cursor === BEGINNING) return 0;
    const position = this.open(cursor);
    if (!position) throw new ApiError('E0045R', 'cursor.after');
    const last = lastCommon(position.epoch, await this.epochs.all());
    if (position.number <= last) return position.number;
    const next = last === 0 ? BEGINNING : await this.cursorOf(last);
    throw new ApiError('E0045R', 'cursor.epoch', {}, { body: { next } });
  }

  private seal(number: number, epoch: Epoch): string {
    const block = Buffer.alloc(CURSOR_BYTES);
    block.writeUInt8(epoch.number, 0);
    block.writeUIntBE(epoch.tag, 1, 3);
    block.writeUInt32BE(Math.min(epoch.fork, MAX_FORK), 4);
    block.writeBigUInt64BE(BigInt(number), 8);
    return this.cipher.encrypt(block);
  }

  /** The number of an event, and the epoch in which it was assigned; `undefined` for a text that no cursor has. */
  private open(cursor: string) {
    const block = this.cipher.decrypt(cursor);
    if (!block) return undefined;
    const tag = block.readUIntBE(1, 3);
    const fork = block.readUInt32BE(4);
    const epoch = { number: block.readUInt8(0), tag, fork };
    const number = Number(block.readBigUInt64BE(8));
    const isPossible = epoch.number === 0 ? tag === 0 && fork === 0 : fork < number;
    return isPossible && number < MAX_NUMBER ? { number, epoch } : undefined;
  }
}

/**
 * Returns the last number that identifies the same event in an epoch and now. An epoch outside this database's
 * past belongs to another future of a backup: if that backup was taken before the first restore, both futures
 * share the events of the backup; otherwise nothing is certain, and a reader starts again.
 */
function lastCommon({ number, tag, fork }: Epoch, epochs: readonly Epoch[]): number {
  const [, first = ORIGIN] = epochs;
  const own = epochs[number];
  const next = epochs[number + 1];
  if (own?.tag === tag && Math.min(own.fork, MAX_FORK) === fork) return next?.fork ?? Infinity;
  return number === 1 && fork < MAX_FORK ? Math.min(fork, first.fork) : 0;
}
