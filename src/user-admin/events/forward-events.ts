import { Injectable, type OnModuleInit } from '@nestjs/common';
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { ok } from '../../platform/http/ok.js';
import { eventJson } from '../../events/event.view.js';
import { NumberedEvents } from '../../events/numbering/numbered-events.js';
import type { AdminScope } from '../../tenancy/scope/scope.interceptor.js';
import { TenantDirectory } from '../../tenancy/scope/tenant-directory.js';
import { domainsOf } from './events.service.js';
import { Epochs, ORIGIN, type Epoch } from '../../platform/database/epochs.js';
import { SecretStore } from '../../platform/database/secrets/secret-store.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { decodeBase64Url } from '../../webauthn/base64url.js';

const KEY_BYTES = 16;
const BLOCK_BYTES = 16;
const BEGINNING = '0';
/** The most that a cursor holds of an epoch's fork, which it only needs for another future of the same backup. */
const MOST_FORK = 2 ** 32 - 1;
/** No installation has more events: a greater number is no cursor's. */
const MOST_NUMBER = 2 ** 44;

/** A number of an event, and the epoch in which the event got it. */
interface Position {
  readonly number: number;
  readonly epoch: Epoch;
}

/**
 * Turns numbers of events into cursors and back. All tenants share the numbers, which would reveal to each how
 * much the others do: so a cursor is one block of AES, under a key that all instances share. The block has the
 * epoch's number (1 byte), tag (3) and fork (4), and the event's number (8): see `Epoch`.
 */
@Injectable()
export class ForwardCursors implements OnModuleInit {
  private key: Promise<Buffer> | undefined;

  constructor(
    private readonly secrets: SecretStore,
    private readonly epochs: Epochs,
  ) {}

  /** Makes the key before the first backup: cursors of a key that a backup lacks would be unknown after it. */
  async onModuleInit(): Promise<void> {
    await this.sharedKey();
  }

  async cursorOf(number: number): Promise<string> {
    const epochs = await this.epochs.all();
    return this.seal({ number, epoch: epochs.findLast(({ fork }) => fork < number) ?? ORIGIN });
  }

  /**
   * @throws ApiError E0045R for a text that is neither 0 nor the `next` of an answer; `cursor.epoch` for one that
   *   follows events which a restore has undone, with the `next` to go on with
   */
  async numberOf(cursor: string): Promise<number> {
    if (cursor === BEGINNING) return 0;
    const position = await this.open(cursor);
    if (!position) throw new ApiError('E0045R', 'cursor.after');
    const last = lastCommon(position.epoch, await this.epochs.all());
    if (position.number <= last) return position.number;
    const next = last === 0 ? BEGINNING : await this.cursorOf(last);
    throw new ApiError('E0045R', 'cursor.epoch', {}, { body: { next } });
  }

  private async seal({ number, epoch }: Position): Promise<string> {
    const block = Buffer.alloc(BLOCK_BYTES);
    block.writeUInt8(epoch.number, 0);
    block.writeUIntBE(epoch.tag, 1, 3);
    block.writeUInt32BE(Math.min(epoch.fork, MOST_FORK), 4);
    block.writeBigUInt64BE(BigInt(number), 8);
    const cipher = createCipheriv('aes-128-ecb', await this.sharedKey(), null);
    return cipher.setAutoPadding(false).update(block).toString('base64url');
  }

  private async open(cursor: string): Promise<Position | undefined> {
    const bytes = decodeBase64Url(cursor);
    if (bytes?.length !== BLOCK_BYTES) return undefined;
    const decipher = createDecipheriv('aes-128-ecb', await this.sharedKey(), null);
    const block = decipher.setAutoPadding(false).update(bytes);
    const [tag, fork] = [block.readUIntBE(1, 3), block.readUInt32BE(4)];
    const epoch = { number: block.readUInt8(0), tag, fork };
    const number = Number(block.readBigUInt64BE(8));
    const isPossible = epoch.number === 0 ? tag === 0 && fork === 0 : fork < number;
    return isPossible && number < MOST_NUMBER ? { number, epoch } : undefined;
  }

  private sharedKey(): Promise<Buffer> {
    this.key ??= this.secrets
      .findOrCreate('event-cursor', () => randomBytes(KEY_BYTES).toString('base64url'))
      .then((text) => Buffer.from(text, 'base64url'))
      .catch((error: unknown) => {
        this.key = undefined;
        throw error;
      });
    return this.key;
  }
}

/**
 * The last number that means the same event in an epoch and now. An epoch that is not in this database's past is
 * another future of a backup: where that was taken before the first restore, the two have in common what both
 * backups had; otherwise nothing is certain, and a reader begins again.
 */
function lastCommon({ number, tag, fork }: Epoch, epochs: readonly Epoch[]): number {
  const [, first = ORIGIN] = epochs;
  const own = epochs[number];
  const next = epochs[number + 1];
  if (own?.tag === tag && Math.min(own.fork, MOST_FORK) === fork) return next?.fork ?? Infinity;
  return number === 1 && fork < MOST_FORK ? Math.min(fork, first.fork) : 0;
}

/** Reads events forward, for programs that follow them. */
@Injectable()
export class ForwardEvents {
  constructor(
    private readonly numbered: NumberedEvents,
    private readonly cursors: ForwardCursors,
    private readonly directory: TenantDirectory,
  ) {}

  /**
   * The events behind a cursor, in the order in which they were numbered.
   *
   * @returns `next`, always, for the call that goes on; `more` where that call may find events at once
   * @throws ApiError E0045R for a cursor that no answer had as `next`
   */
  async after(scope: AdminScope, cursor: string, limit: number) {
    const after = await this.cursors.numberOf(cursor);
    const upto = await this.numbered.last();
    // Another instance may have added a relying party whose events are among these.
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
