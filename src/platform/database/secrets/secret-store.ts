import { randomBytes } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Step } from '../commit/unit.js';
import { SharedRecords, replaceRecord } from '../shared-records.js';
import { Sealing, isSealed } from './sealing.js';

const placeOf = (name: string): string => `secret ${name}`;

const newSecret = (): string => randomBytes(32).toString('base64url');

/**
 * Secrets that all instances share, for example the key that signs the session cookie; they are sealed if
 * `--secret-key-file` contains keys.
 */
@Injectable()
export class SecretStore implements OnModuleInit {
  constructor(
    private readonly records: SharedRecords,
    private readonly sealing: Sealing,
  ) {}

  /**
   * Seals again the secrets that another key sealed. Waiting until they are needed could be too late: the old key may
   * have been removed by then.
   */
  async onModuleInit(): Promise<void> {
    const records = await this.records.all();
    for (const { name, value } of records) if (isSealed(value)) await this.renew(name, value);
  }

  async sealedTexts(): Promise<string[]> {
    return (await this.records.all()).map(({ value }) => value).filter(isSealed);
  }

  /** @throws as `Sealing.open` */
  async find(name: string): Promise<string | undefined> {
    const stored = await this.records.find(name);
    return stored === undefined ? undefined : this.opened(name, stored);
  }

  /**
   * The secret of this name; the first instance that needs it creates it.
   *
   * @param make creates another secret than 32 random bytes, Base64URL
   * @throws as `Sealing.open`
   */
  async findOrCreate(name: string, make = newSecret): Promise<string> {
    const seal = () => this.sealing.seal(make(), placeOf(name));
    return this.opened(name, await this.records.findOrCreate(name, seal));
  }

  /** Gives an existing secret another value; does nothing if there is none. */
  async change(name: string, secret: string): Promise<void> {
    const stored = await this.records.find(name);
    if (stored === undefined) return;
    await this.records.replace(name, stored, this.sealing.seal(secret, placeOf(name)));
  }

  /**
   * The step that changes an existing secret, for a unit that is not stored if others have changed it since; none if
   * there is no secret of this name.
   *
   * @throws as `Sealing.open`
   */
  async changing(name: string, change: (secret: string) => Promise<string>): Promise<Step[]> {
    const stored = await this.records.find(name);
    if (stored === undefined) return [];
    const secret = await change(this.sealing.open(stored, placeOf(name)));
    return [replaceRecord(name, stored, this.sealing.seal(secret, placeOf(name)))];
  }

  private async opened(name: string, stored: string): Promise<string> {
    const secret = this.sealing.open(stored, placeOf(name));
    await this.renew(name, stored);
    return secret;
  }

  private async renew(name: string, stored: string): Promise<void> {
    const renewed = this.sealing.renewed(stored, placeOf(name));
    // If another instance was faster, its text is just as good.
    if (renewed !== undefined) await this.records.replace(name, stored, renewed);
  }
}
