import { hash, randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import type { Account } from '../../../platform/access/accounts/account.js';
import { Clock } from '../../../platform/common/clock.js';
import { SharedRecords } from '../../../platform/database/shared-records.js';
import { HOUR_MS } from '../../../platform/common/durations.js';

const PREFIX = 'draft ';
const KEPT_MS = HOUR_MS;
/** The maximum number of forms of one account. Older ones are deleted, so that no account can fill the database. */
const MAX_KEPT = 20;

/** The fields of a form as they were sent. */
export type DraftFields = Readonly<Record<string, unknown>>;

/**
 * Stores the unsaved form of a relying party for an hour: a page that shows it is then read by GET, so reload and back
 * work. The form does not fit into an address, since a policy may contain certificates.
 */
@Injectable()
export class DraftForms {
  constructor(
    private readonly records: SharedRecords,
    private readonly clock: Clock,
  ) {}

  /** @returns the ID of the form, for an address */
  async keep({ name }: Account, sent: DraftFields): Promise<string> {
    const fields = { ...sent, formToken: undefined };
    const now = this.clock.now();
    await this.records.removeBefore(PREFIX, String(now - KEPT_MS));
    const own = prefixOf(name);
    if ((await this.records.count(own)) >= MAX_KEPT) {
      await this.records.removeBefore(own, String(now));
    }
    const id = randomBytes(15).toString('base64url');
    const text = deflateRawSync(JSON.stringify(fields)).toString('base64');
    await this.records.create(own + id, `${now} ${text}`);
    return id;
  }

  /** Finds a form that the account sent; `undefined` after an hour. */
  async find({ name }: Account, id: string): Promise<DraftFields | undefined> {
    const [at, text] = (await this.records.find(prefixOf(name) + id))?.split(' ') ?? [];
    if (text === undefined || Number(at) < this.clock.now() - KEPT_MS) return undefined;
    return JSON.parse(inflateRawSync(Buffer.from(text, 'base64')).toString()) as DraftFields;
  }
}

/** The prefix of the records of an account's forms. */
const prefixOf = (account: string): string =>
  `${PREFIX}${hash('sha256', account, 'hex').slice(0, 32)} `;
