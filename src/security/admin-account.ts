import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { PASSWORD_HASH } from '../config/accounts-file.js';
import { serverOptions } from '../config/server-config.js';
import { SecretStore } from '../database/secret-store.js';
import { hashPassword } from './password.js';

const SECRET = 'admin-password-hash';

/** Whoever configures the server need not know the password. */
const hashOf = async (given: string): Promise<string> =>
  PASSWORD_HASH.test(given) ? given : hashPassword(given);

/** The first administrator: `--admin-user` with the given or the generated password. */
@Injectable()
export class AdminAccount implements OnModuleInit {
  /** What its password must match; of no password without one. */
  hash = '';
  /** The generated password, in the process that generated it: it is printed once. */
  generated: string | undefined;
  /** Where a generated password can be read by the operator. */
  readonly passwordFile: string;

  constructor(
    @Inject(serverOptions.KEY) private readonly options: ConfigType<typeof serverOptions>,
    private readonly secrets: SecretStore,
  ) {
    this.passwordFile = join(options.data, 'admin-password');
  }

  async onModuleInit(): Promise<void> {
    const { adminPassword, auth } = this.options;
    if (adminPassword !== undefined) this.hash = await hashOf(adminPassword);
    else if (auth) this.hash = (await this.secrets.find(SECRET)) ?? (await this.generate());
  }

  /** Made by the first instance over a database; only its hash is kept there. */
  private async generate(): Promise<string> {
    const password = randomBytes(15).toString('base64url');
    const mine = await hashPassword(password);
    const kept = await this.secrets.findOrCreate(SECRET, () => mine);
    if (kept === mine) {
      mkdirSync(this.options.data, { recursive: true });
      writeFileSync(this.passwordFile, `${password}\n`, { mode: 0o600 });
      this.generated = password;
      Logger.log(`An administrator password was made: ${this.passwordFile}`, 'Security');
    }
    return kept;
  }
}
