import { Inject, Injectable, Logger } from '@nestjs/common';
import type { OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { readAccounts } from '../../config/files/accounts-file.js';
import type { AccountEntries, AccountEntry } from '../../config/files/accounts-file.js';
import { serverOptions } from '../../config/server-config.js';
import { normalizeName } from '../../validation/values/names.js';
import { knownAccount } from './known-account.js';
import type { KnownAccount } from './known-account.js';
import { AdminAccount } from './admin-account.js';
import { passwordMatches } from '../basic/password.js';
import { StoredAccounts } from './stored-accounts.js';

const POLL_MS = 2000;

/**
 * The first administrator, the accounts of `--accounts`, whose file is read again when it changes, and the
 * accounts of the console.
 */
@Injectable()
export class Accounts implements OnModuleInit, OnModuleDestroy {
  private entries: AccountEntries = new Map();
  private contents = '';
  private timer: NodeJS.Timeout | undefined;
  /** Raised by each reading of the file: what was remembered before counts no longer. */
  version = 0;

  constructor(
    @Inject(serverOptions.KEY) private readonly options: ConfigType<typeof serverOptions>,
    private readonly admin: AdminAccount,
    private readonly stored: StoredAccounts,
  ) {}

  onModuleInit(): void {
    if (this.options.accounts === undefined) return;
    this.refresh();
    this.timer = setInterval(() => this.refresh(), POLL_MS);
    this.timer.unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /**
   * Reads the file. One with mistakes changes nothing: the accounts stay as they were, and the log
   * tells why, once.
   */
  refresh(): void {
    const mistakes: string[] = [];
    const entries = readAccounts(this.options, mistakes);
    const contents = JSON.stringify([[...entries.values()], mistakes]);
    if (contents === this.contents) return;
    this.contents = contents;
    for (const mistake of mistakes) Logger.error(mistake, 'Security');
    if (mistakes.length > 0) return;
    this.entries = entries;
    this.version += 1;
    Logger.log(`Further accounts: ${entries.size}`, 'Security');
  }

  /** Names of the accounts of the configuration, the first administrator's first. */
  get configured(): readonly string[] {
    return [normalizeName(this.options.adminUser), ...this.entries.keys()];
  }

  /**
   * The account of this name, as it is now. An account of the configuration comes before one of the
   * database, and has no more of the console's data than the sign-in rule and keys that were kept for it.
   *
   * @param spelling the name in any Unicode normalization form; the account has it in NFC
   */
  async known(spelling: string): Promise<KnownAccount | undefined> {
    const name = normalizeName(spelling);
    const entry = this.entryOf(name);
    const stored = await this.stored.find(name);
    if (entry) {
      const signIn = stored?.role === null ? stored.signIn : 'password';
      return knownAccount({ ...entry, signIn, configured: true });
    }
    if (!stored?.role) return undefined;
    const { role, tenants, password, signIn } = stored;
    const facts = { name, role, tenants: tenants ?? undefined, password: password ?? '' };
    return knownAccount({ ...facts, signIn, configured: false });
  }

  /** The account with this name and password. A wrong name takes as long as a wrong password. */
  async find(name: string, password: string): Promise<KnownAccount | undefined> {
    const known = await this.known(name);
    const right = await passwordMatches(password, known?.password || this.admin.hash);
    return right && known?.password !== '' ? known : undefined;
  }

  private entryOf(name: string): AccountEntry | undefined {
    if (name === normalizeName(this.options.adminUser))
      return { name, role: 'admin', password: this.admin.hash };
    return this.entries.get(name);
  }
}
