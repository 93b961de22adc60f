import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../platform/common/clock.js';
import { Database } from '../platform/database/database.js';
import { Sealing } from '../platform/database/secrets/sealing.js';
import { REPLACE_FORMER_SECRET, REPLACE_SECRET, WEBHOOK_SECRETS } from './webhook.statements.js';
import type { Webhook } from './webhook.entity.js';

/** The columns of a webhook's row that hold secrets. */
type StoredSecrets = Pick<Webhook, 'id' | 'secret' | 'formerSecret' | 'formerUntil'>;

/** A message is signed with each of them. */
const MOST_FORMER = 4;

/** The place that a secret is sealed for. It stays the same when the secret becomes the former one. */
const placeOf = (id: Buffer): string => `webhook ${id.toString('base64url')}`;

/** Seals and opens the secrets with which messages are signed; the database has them sealed. */
@Injectable()
export class WebhookSecrets implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly sealing: Sealing,
    private readonly clock: Clock,
  ) {}

  /** Seals secrets again that another key sealed, or none, so that the other key can be removed. */
  async onModuleInit(): Promise<void> {
    for (const row of await this.rows()) {
      await this.renew(REPLACE_SECRET, row.id, row.secret);
      if (row.formerSecret !== null) {
        await this.renew(REPLACE_FORMER_SECRET, row.id, row.formerSecret);
      }
    }
  }

  async sealedTexts(): Promise<string[]> {
    const texts = (await this.rows()).flatMap(({ secret, formerSecret }) => [secret, formerSecret]);
    return texts.filter((text) => text !== null);
  }

  seal(id: Buffer, secret: string): string {
    return this.sealing.seal(secret, placeOf(id));
  }

  /**
   * The secrets that are valid now, the newest first.
   *
   * @throws as `Sealing.open`
   */
  open({ id, secret, formerSecret, formerUntil }: StoredSecrets): [string, ...string[]] {
    const former = (formerUntil ?? 0) > this.clock.now() ? formerSecret : null;
    const open = (stored: string) => this.sealing.open(stored, placeOf(id));
    return [open(secret), ...(former === null ? [] : open(former).split(' '))];
  }

  /** The secrets that are valid now, as those before a new one: its receiver may have any of them. */
  sealAsFormer(stored: StoredSecrets): string {
    return this.seal(stored.id, this.open(stored).slice(0, MOST_FORMER).join(' '));
  }

  private rows() {
    return this.database.query(WEBHOOK_SECRETS);
  }

  private async renew(replace: typeof REPLACE_SECRET, id: Buffer, sealed: string): Promise<void> {
    const newSealed = this.sealing.renewed(sealed, placeOf(id));
    if (newSealed === undefined) return;
    // Where another instance has been faster, its text is as good.
    await this.database.commit([replace.step({ id, sealed, newSealed })]);
  }
}
