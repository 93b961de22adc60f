import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { Clock } from '../platform/common/clock.js';
import { updateStep } from '../platform/database/commit/step-of.js';
import { Database } from '../platform/database/database.js';
import { Sealing } from '../platform/database/secrets/sealing.js';
import { Webhook } from './webhook.entity.js';

/** The columns of a webhook's row that contain secrets. */
type StoredSecrets = Pick<Webhook, 'id' | 'secret' | 'formerSecret' | 'formerUntil'>;

/** The maximum number of former secrets; a message is signed with each of them. */
const MAX_FORMER = 4;

/** The purpose of a sealed secret. It stays the same when the secret becomes the former one. */
const placeOf = (id: Buffer): string => `webhook ${id.toString('base64url')}`;

/** Seals and opens the secrets with which messages are signed; the database stores them sealed. */
@Injectable()
export class WebhookSecrets implements OnModuleInit {
  constructor(
    @InjectRepository(Webhook) private readonly webhooks: Repository<Webhook>,
    private readonly database: Database,
    private readonly sealing: Sealing,
    private readonly clock: Clock,
  ) {}

  /** Seals secrets again that another key sealed, or none, so that the other key can be removed. */
  async onModuleInit(): Promise<void> {
    for (const { id, secret, formerSecret } of await this.rows()) {
      await this.renew(id, 'secret', secret);
      if (formerSecret !== null) await this.renew(id, 'formerSecret', formerSecret);
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
    return this.seal(stored.id, this.open(stored).slice(0, MAX_FORMER).join(' '));
  }

  private rows(): Promise<Webhook[]> {
    return this.webhooks.find({ select: { id: true, secret: true, formerSecret: true } });
  }

  private async renew(
    id: Buffer,
    column: 'secret' | 'formerSecret',
    sealed: string,
  ): Promise<void> {
    const newSealed = this.sealing.renewed(sealed, placeOf(id));
    if (newSealed === undefined) return;
    // If another instance was faster, its text is equally valid.
    const step = updateStep(this.webhooks, { id, [column]: sealed }, { [column]: newSealed });
    await this.database.store([step]);
  }
}
