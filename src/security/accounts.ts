import { Inject, Injectable, Logger } from '@nestjs/common';
import type { OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { readAccounts } from '../config/accounts-file.js';
import type { AccountEntries } from '../config/accounts-file.js';
import { serverOptions } from '../config/server-config.js';
import { knownAccount } from './known-account.js';
import type { KnownAccount } from './known-account.js';
import { AdminAccount } from './admin-account.js';
import { passwordMatches } from './password.js';

const POLL_MS = 2000;

/** The first administrator and the accounts of `--accounts`, whose file is read again when it changes. */
@Injectable()
export class Accounts implements OnModuleInit, OnModuleDestroy {
  private entries: AccountEntries = new Map();
  private contents = '';
  private timer: NodeJS.Timeout | undefined;
  /** Another number for each reading: what was known before counts no longer. */
  version = 0;

  constructor(
    @Inject(serverOptions.KEY) private readonly options: ConfigType<typeof serverOptions>,
    private readonly admin: AdminAccount,
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

  /** The account of this name, as it stands now. */
  async known(name: string): Promise<KnownAccount | undefined> {
    if (name === this.options.adminUser) {
      return knownAccount({ name, role: 'admin', password: this.admin.hash });
    }
    const entry = this.entries.get(name);
    return entry && knownAccount(entry);
  }

  /** The account with this name and password. A wrong name takes as long as a wrong password. */
  async find(name: string, password: string): Promise<KnownAccount | undefined> {
    const known = await this.known(name);
    const right = await passwordMatches(password, known?.password ?? this.admin.hash);
    return right ? known : undefined;
  }
}
