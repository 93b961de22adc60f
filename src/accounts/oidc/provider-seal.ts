import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Sealing } from '../../platform/database/secrets/sealing.js';
import { SecretStore } from '../../platform/database/secrets/secret-store.js';

/**
 * Seals what the OpenID provider has issued, under a key that all instances share. That key is itself sealed if
 * `--secret-key-file` contains keys.
 */
@Injectable()
export class ProviderSeal implements OnModuleInit {
  private sealing = new Sealing([]);

  constructor(private readonly secrets: SecretStore) {}

  async onModuleInit(): Promise<void> {
    const key = await this.secrets.findOrCreate('console-oidc');
    this.sealing = new Sealing([Buffer.from(key, 'base64url')]);
  }

  /** @param use what the text is for: it can be opened for nothing else */
  seal(text: string, use: string): string {
    return this.sealing.seal(text, `console-oidc ${use}`);
  }

  /** @throws Error if it was altered, or sealed for another use */
  open(sealed: string, use: string): string {
    return this.sealing.open(sealed, `console-oidc ${use}`);
  }
}
