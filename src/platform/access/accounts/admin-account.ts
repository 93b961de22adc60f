import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { PASSWORD_HASH } from '../../config/files/accounts-file.js';
import { serverOptions, type ServerOptions } from '../../config/server-config.js';
import { newId } from '../../database/row-ids.js';
import { SecretStore } from '../../database/secrets/secret-store.js';
import { hashPassword, passwordMatches } from '../basic/password-checks.js';

const SECRET = 'admin-password-hash';

const GIVEN = 'admin-password-given';

/** The first administrator: `--admin-user` with the given or the generated password. */
@Injectable()
export class AdminAccount implements OnModuleInit {
  private readonly logger = new Logger(AdminAccount.name);

  /** The hash of its password; empty if it has none. */
  hash = '';
  /** The generated password, only in the process that generated it: it is printed once. */
  generated: string | undefined;
  readonly passwordFile: string;

  constructor(
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
    private readonly secrets: SecretStore,
  ) {
    this.passwordFile = join(options.data, 'admin-password');
  }

  async onModuleInit(): Promise<void> {
    const { adminPassword, auth } = this.options;
    if (adminPassword !== undefined) this.hash = await this.hashOf(adminPassword);
    else if (auth) this.hash = (await this.secrets.find(SECRET)) ?? '';
  }

  /** Generates the password if one is needed. Only for a server: it shows the password, which a command does not. */
  async ensurePassword(): Promise<void> {
    const { adminPassword, auth } = this.options;
    if (adminPassword === undefined && auth) this.hash ||= await this.generate();
  }

  /**
   * The hash of a given password. It may be given as a hash already, so that the configuration need not contain the
   * password. The hash of a plain password is stored, so that all instances use the same one, and sessions, which
   * end when it changes, survive a restart.
   */
  private async hashOf(given: string): Promise<string> {
    if (PASSWORD_HASH.test(given)) return given;
    const kept = await this.secrets.find(GIVEN);
    if (kept !== undefined && (await passwordMatches(given, kept))) return kept;
    const fresh = await hashPassword(given);
    if (kept === undefined) {
      const first = await this.secrets.findOrCreate(GIVEN, () => fresh);
      // An instance that was faster may have another password.
      return (await passwordMatches(given, first)) ? first : fresh;
    }
    await this.secrets.change(GIVEN, fresh);
    return fresh;
  }

  /**
   * Generates a password, on the first instance of a database; only its hash is stored there. Its file is written
   * before the hash is stored: a valid password that cannot be read would lock out all administrators.
   */
  private async generate(): Promise<string> {
    const password = randomBytes(15).toString('base64url');
    const mine = await hashPassword(password);
    mkdirSync(this.options.data, { recursive: true });
    ensureReplaceable(this.passwordFile);
    // Instances may share the directory: each writes a file of its own, and only one of them is kept.
    const draft = `${this.passwordFile}.${newId().toString('hex')}`;
    writeFileSync(draft, `${password}\n`, { mode: 0o600, flag: 'wx', flush: true });
    const kept = await this.secrets.findOrCreate(SECRET, () => mine);
    if (kept === mine) {
      renameSync(draft, this.passwordFile);
      this.generated = password;
      this.logger.log(`An administrator password was made: ${this.passwordFile}`);
    } else rmSync(draft);
    return kept;
  }
}

/** @throws Error if the path is a directory */
function ensureReplaceable(file: string): void {
  if (!statSync(file, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new Error(`${file} is a directory: the administrator's password is to be written there.`);
}
