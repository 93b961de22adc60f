import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { Database } from '../database/database.js';
import { Sealing } from '../database/sealing.js';
import { REPLACE_FORMER_SECRET, REPLACE_SECRET, WEBHOOK_SECRETS } from './webhook.statements.js';
import type { Webhook } from './webhook.entity.js';

/** Of a webhook's row. */
export type StoredSecrets = Pick<Webhook, 'id' | 'secret' | 'formerSecret' | 'formerUntil'>;

/** A secret that has become the former one stays sealed for the same place. */
const placeOf = (id: Buffer): string => `webhook ${id.toString('base64url')}`;

/** The secrets with which messages are signed, as they stand in the database. */
@Injectable()
export class WebhookSecrets implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly sealing: Sealing,
    private readonly clock: Clock,
  ) {}

  /** What another key sealed, or none, is sealed anew, so that the other may go. */
  async onModuleInit(): Promise<void> {
    for (const row of await this.rows()) {
      await this.renew(REPLACE_SECRET, row.id, row.secret);
      if (row.formerSecret !== null) {
        await this.renew(REPLACE_FORMER_SECRET, row.id, row.formerSecret);
      }
    }
  }

  /** As they stand in the database. */
  async sealedTexts(): Promise<string[]> {
    const texts = (await this.rows()).flatMap(({ secret, formerSecret }) => [secret, formerSecret]);
    return texts.filter((text) => text !== null);
  }

  seal(id: Buffer, secret: string): string {
    return this.sealing.seal(secret, placeOf(id));
  }

  /**
   * Those that count now, the newest first.
   *
   * @throws as `Sealing.open`
   */
  open({ id, secret, formerSecret, formerUntil }: StoredSecrets): [string, ...string[]] {
    const former = (formerUntil ?? 0) > this.clock.now() ? formerSecret : null;
    const open = (stored: string) => this.sealing.open(stored, placeOf(id));
    return [open(secret), ...(former === null ? [] : [open(former)])];
  }

  private rows(): Promise<StoredSecrets[]> {
    return this.database.query<StoredSecrets>(WEBHOOK_SECRETS).all();
  }

  private async renew(sql: string, id: Buffer, stored: string): Promise<void> {
    const renewed = this.sealing.renewed(stored, placeOf(id));
    // Where another instance has been faster its text is as good.
    if (renewed !== undefined) await this.database.commit([{ sql, params: [renewed, id, stored] }]);
  }
}
