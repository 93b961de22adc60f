import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../platform/common/clock.js';
import { Database } from '../platform/database/database.js';
import { Sealing } from '../platform/database/secrets/sealing.js';
import { REPLACE_FORMER_SECRET, REPLACE_SECRET, WEBHOOK_SECRETS } from './webhook.statements.js';
import type { Webhook } from './webhook.entity.js';

/** The columns of a webhook's row that contain secrets. */
type StoredSecrets = Pick<Webhook, 'id' | 'secret' | 'formerSecret' | 'formerUntil'>;

/** The maximum number of former secrets; a message is signed with each of them. */
const MOST_FORMER = 4;

/** The purpose of a sealed secret. It stays the same when the secret becomes the former one. */
const placeOf = (id: Buffer): string => `webhook ${id.toString('base64url')}`;

/** Seals and opens the secrets with which messages are signed; the database stores them sealed. */
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
   * The currently valid secrets, newest first.
   *
   * @throws as `Sealing.open`
   */
  open({ id, secret, formerSecret, formerUntil }: StoredSecrets): [string, ...string[]] {
    const former = (formerUntil ?? 0) > this.clock.now() ? formerSecret : null;
    const open = (stored: string) => this.sealing.open(stored, placeOf(id));
    return [open(secret), ...(former === null ? [] : open(former).split(' '))];
  }

  /** Seals the currently valid secrets as those before a new one, because the receiver may use any of them. */
  sealAsFormer(stored: StoredSecrets): string {
    return this.seal(stored.id, this.open(stored).slice(0, MOST_FORMER).join(' '));
  }

  private rows() {
    return this.database.query(WEBHOOK_SECRETS);
  }

  private async renew(replace: typeof REPLACE_SECRET, id: Buffer, sealed: string): Promise<void> {
    const newSealed = this.sealing.renewed(sealed, placeOf(id));
    if (newSealed === undefined) return;
    // If another instance was faster, its text is equally valid.
    await this.database.commit([replace.step({ id, sealed, newSealed })]);
  }
}
