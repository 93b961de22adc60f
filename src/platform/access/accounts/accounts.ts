import { createHash } from 'node:crypto';
import {
  Inject,
  Injectable,
  Logger,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import {
  readAccounts,
  type AccountEntries,
  type AccountEntry,
  type AccountRole,
} from '../../config/files/accounts-file.js';
import { Clock } from '../../common/clock.js';
import { collectMistakes } from '../../config/option-types.js';
import { serverOptions, type ServerOptions } from '../../config/server-config.js';
import { normalizeName } from '../../validation/values/names.js';
import { passwordMatches } from '../basic/password-checks.js';
import { AdminAccount } from './admin-account.js';
import type { Account } from './account.js';

/** How an account may sign in on the console's page. HTTP Basic, which cannot use a key, needs `password`. */
export const SIGN_IN_RULES = ['password', 'password+key', 'key'] as const;
export type SignInRule = (typeof SIGN_IN_RULES)[number];

export interface StoredAccount {
  /** `null` for an account of the configuration, for which the console stores only the rule and the keys. */
  readonly role: AccountRole | null;
  readonly tenants: readonly string[] | null;
  /** A hash; `null` if it has no password. */
  readonly password: string | null;
  readonly signIn: SignInRule;
  /** Whether another account requires a second factor. */
  readonly needsKey: boolean;
  readonly keyCount: number;
  /** Whether its owner has not set it up yet. */
  readonly isNew: boolean;
  /** Issuer and subject, separated by a space, of an account of the OpenID provider; `null` for a local one. */
  readonly identity: string | null;
  /** Whether it may sign in with `--console-local break-glass`. */
  readonly breakGlass: boolean;
}

/** Finds stored accounts. The console implements this class; checks of passwords depend only on this class. */
export abstract class StoredAccounts {
  /** Reads the database at each call, so that a change takes effect on all instances at once. */
  abstract find(name: string): Promise<StoredAccount | undefined>;
}

/** An account that can sign in, in its current state. */
export interface KnownAccount extends Pick<
  StoredAccount,
  'signIn' | 'needsKey' | 'keyCount' | 'isNew' | 'identity' | 'breakGlass'
> {
  readonly account: Account;
  /** A hash; empty if it has no password. */
  readonly password: string;
  /** Whether it is in the configuration, and can be changed only there. */
  readonly configured: boolean;
  /** Whether it may sign in here, by password or key; accounts of the OpenID provider sign in there. */
  readonly isOpen: boolean;
  /** 32 bytes that change with role, tenants, password, rule, `pending` and `isOpen`: a change ends a session. */
  readonly mark: Buffer;
}

function withMark(known: Omit<KnownAccount, 'mark'>): KnownAccount {
  const { account, password, signIn, identity, isOpen } = known;
  const { role, tenants, pending } = account;
  const facts: unknown[] = [role, tenants ?? null, password, signIn, ...(pending ? [pending] : [])];
  // Marks of other accounts stay as in version 1.0: their sessions go on after an update.
  if (!isOpen) facts.push({ identity });
  return { ...known, mark: createHash('sha256').update(JSON.stringify(facts)).digest() };
}

const POLL_MS = 2000;

/** An account of the configuration has a row only if it has keys. */
const NO_ROW = { signIn: 'password', keyCount: 0, breakGlass: false } as const;

/**
 * The first administrator, the accounts of `--accounts`, whose file is read again when it changes, and the
 * accounts of the console.
 */
@Injectable()
export class Accounts implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(Accounts.name);
  private entries: AccountEntries = new Map();
  private contents = '';
  private timer: NodeJS.Timeout | undefined;
  /** Increased by each reading of the file: earlier cached results are then invalid. */
  version = 0;

  constructor(
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
    private readonly admin: AdminAccount,
    private readonly stored: StoredAccounts,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    if (this.options.accounts === undefined) return;
    this.refresh();
    this.timer = setInterval(() => this.refresh(), this.clock.timer(POLL_MS));
    this.timer.unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /**
   * Reads the file. A file with mistakes changes nothing: the accounts stay as they were, and the log reports
   * why, once.
   */
  refresh(): void {
    const mistakes: string[] = [];
    const entries = collectMistakes(mistakes, () => readAccounts(this.options)) ?? new Map();
    const contents = JSON.stringify([[...entries.values()], mistakes]);
    if (contents === this.contents) return;
    this.contents = contents;
    for (const mistake of mistakes) this.logger.error(mistake);
    if (mistakes.length > 0) return;
    this.entries = entries;
    this.version += 1;
    this.logger.log(`Further accounts: ${entries.size}`);
  }

  /** Names of the accounts of the configuration, the first administrator's first. */
  get configured(): readonly string[] {
    return [normalizeName(this.options.adminUser), ...this.entries.keys()];
  }

  /** The tenants to which accounts of the configuration are limited, by the accounts' names. */
  get configuredTenants(): ReadonlyMap<string, readonly string[]> {
    const limited = [...this.entries.values()].flatMap(({ name, tenants }) =>
      tenants ? [[name, tenants] as const] : [],
    );
    return new Map(limited);
  }

  /**
   * The current account of this name. An account of the configuration takes precedence over one of the database;
   * of the console's data it uses only the sign-in rule and the keys stored for it.
   *
   * @param spelling the name in any Unicode normalization form; the account has it in NFC
   */
  async known(spelling: string): Promise<KnownAccount | undefined> {
    const name = normalizeName(spelling);
    const entry = this.entryOf(name);
    const stored = await this.stored.find(name);
    if (entry) {
      const { password, ...account } = entry;
      const { signIn, keyCount, breakGlass } = stored?.role === null ? stored : NO_ROW;
      return withMark({
        account,
        password,
        signIn,
        keyCount,
        breakGlass,
        needsKey: false,
        isNew: false,
        identity: null,
        configured: true,
        isOpen: this.isOpen({ identity: null, breakGlass }),
      });
    }
    if (!stored?.role) return undefined;
    const { role, tenants, needsKey, keyCount, isNew, identity, breakGlass } = stored;
    const pending = this.pendingOf(stored);
    // A required key is only asked for once the account has one.
    const asksKey = needsKey && keyCount > 0 && stored.signIn === 'password';
    return withMark({
      account: { name, role, ...(tenants && { tenants }), ...(pending && { pending }) },
      password: stored.password ?? '',
      signIn: asksKey ? 'password+key' : stored.signIn,
      keyCount,
      needsKey,
      isNew,
      identity,
      breakGlass,
      configured: false,
      isOpen: this.isOpen(stored),
    });
  }

  /** The account with this name and password. A wrong name takes as long as a wrong password. */
  async find(name: string, password: string): Promise<KnownAccount | undefined> {
    const known = await this.known(name);
    const right = await passwordMatches(password, known?.password || this.admin.hash);
    return right && known?.isOpen && known.password !== '' ? known : undefined;
  }

  private isOpen({ identity, breakGlass }: Pick<KnownAccount, 'identity' | 'breakGlass'>): boolean {
    return identity === null && (breakGlass || this.options.consoleLocal === 'all');
  }

  /** The page on which the owner can do this needs a session. */
  private pendingOf({ isNew, needsKey, keyCount }: StoredAccount): Account['pending'] {
    if (this.options.console === 'basic') return undefined;
    if (isNew) return 'password';
    return needsKey && keyCount === 0 ? 'key' : undefined;
  }

  private entryOf(name: string): AccountEntry | undefined {
    if (name === normalizeName(this.options.adminUser))
      return { name, role: 'admin', password: this.admin.hash };
    return this.entries.get(name);
  }
}
