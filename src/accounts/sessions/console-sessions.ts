import { timingSafeEqual } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Request } from 'express';
import { In, type Repository } from 'typeorm';
import { Clock } from '../../platform/common/clock.js';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { newId } from '../../platform/database/row-ids.js';
import { deleteStep, insertStep, mustChange } from '../../platform/database/commit/step-of.js';
import type { Step, Unit } from '../../platform/database/commit/unit.js';
import type { ChangingCall } from '../../audit/audited.js';
import { Database } from '../../platform/database/database.js';
import { serverFacts } from '../../platform/database/server-facts.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { Account } from '../../platform/access/accounts/account.js';
import { Accounts, type KnownAccount } from '../../platform/access/accounts/accounts.js';
import { BreakGlass } from '../../platform/access/accounts/break-glass.js';
import { truncateUtf8 } from '../../platform/validation/values/names.js';
import { MINUTE_MS } from '../../platform/common/durations.js';
import { sha256 } from '../../platform/common/sha256.js';
import type { ConsoleKey } from '../keys/console-key.entity.js';
import { KEY_IS_KNOWN } from '../keys/key.statements.js';
import { ConsoleSession, type SignInMethod } from './console-session.entity.js';
import {
  clearCookie,
  newSessionSecret,
  readCookie,
  writeCookie,
  type SessionName,
} from './session-cookie.js';
import {
  DELETE_ENDED_SESSIONS,
  SESSIONS_OF_ACCOUNT,
  SESSION_BY_ID,
  sessionOf,
  type ReadSession,
} from './session.statements.js';
import { SessionUse } from './session-use.js';

/** A session ends after this time without a request by the user. */
const IDLE_MS = 60 * MINUTE_MS;
/** A session ends after this time in any case: a working day. */
const LIFE_MS = 12 * 60 * MINUTE_MS;
/** How long after a sign-in the sign-in requirements can be changed. */
export const FRESH_MS = 15 * MINUTE_MS;
/** How long the previous secret is accepted, for requests that were sent before its replacement. */
const GRACE_MS = MINUTE_MS;
const MAX_BROWSER_BYTES = 255;

/** The factors of a sign-in, and its time in milliseconds since 1970; now if absent. */
export interface SessionProof {
  readonly way: SignInMethod;
  readonly beganAt?: number;
  /** The key that signed in. */
  readonly key?: Pick<ConsoleKey, 'id'> | undefined;
  /** When the session ends at the latest, in milliseconds since 1970; a working day after it began if absent. */
  readonly endsAt?: number;
  /** What the OpenID provider's session needs, and the hash of its ID. */
  readonly provider?: string | null | undefined;
  readonly sidHash?: Buffer | null | undefined;
  /** Further steps of the unit that stores the session. */
  readonly steps?: readonly Step[];
}

/** The check of sessions that began at the OpenID provider. `ProviderSessions` registers it with `--console-oidc`. */
export interface ProviderCheck {
  /** Whether the provider still vouches for a session; ends those for which it does not. */
  isValid(request: Request, session: ReadSession, known: KnownAccount): Promise<boolean>;
}

/**
 * The sessions of browsers, stored in the database: when one instance ends a session, no instance accepts it any
 * longer, since the row and its account are read on each call. All times are the database's, since the clocks of
 * instances may differ.
 */
@Injectable()
export class ConsoleSessions {
  private readonly logger = new Logger(ConsoleSessions.name);
  /** Absent if the server has no OpenID provider: the sessions that began there are not valid then. */
  private providerCheck: ProviderCheck | undefined;

  constructor(
    @InjectRepository(ConsoleSession) private readonly sessions: Repository<ConsoleSession>,
    private readonly database: Database,
    private readonly accounts: Accounts,
    private readonly clock: Clock,
    private readonly breakGlass: BreakGlass,
    private readonly use: SessionUse,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
  ) {}

  /** Called once: a second check would replace the first. */
  registerProviderCheck(check: ProviderCheck): void {
    this.providerCheck = check;
  }

  get areOn(): boolean {
    return this.options.auth && this.options.console === 'sessions';
  }

  /**
   * Begins a session after a sign-in. Its ID and secret are new, so that a cookie planted in the browser
   * beforehand is useless. The browser's previous session ends.
   *
   * @param commit stores the unit, for a sign-in with its audit row; `false` if it was refused
   * @throws ApiError E0042R if the unit was refused, since the key was removed during the sign-in; or if the account may
   *   sign in at the OpenID provider only
   */
  async begin(
    request: Request,
    known: Pick<KnownAccount, 'account' | 'mark' | 'isOpen'>,
    proof: SessionProof,
    commit = (unit: Unit) => this.database.commit(unit),
  ): Promise<Account> {
    if (!known.isOpen && !proof.provider) throw new ApiError('E0042R', 'console.onlyAtProvider');
    if (!proof.provider) await this.breakGlass.record(known.account, request, proof.way);
    const former = await this.verifiedSession(readCookie(request));
    const now = former?.now ?? (await this.time());
    const { row, name } = this.newSession(request, known, { ...proof, now });
    const unit = [
      ...(proof.key ? [KEY_IS_KNOWN.mustChange({ id: proof.key.id })] : []),
      ...(former ? [deleteStep(this.sessions, { id: former.id })] : []),
      ...(proof.steps ?? []),
      ...this.store(row, now),
    ];
    if (!(await commit(unit))) throw new ApiError('E0042R', 'console.wrongKey');
    writeCookie(request, name);
    return signedIn(known, row);
  }

  /**
   * Begins a session in place of the current one, for example after a change of the sign-in requirements. The
   * time of the sign-in does not change.
   *
   * @returns `undefined` if the current session has ended: then no other begins
   */
  async replace(
    request: Request,
    known: Pick<KnownAccount, 'account' | 'mark'>,
    by: Account,
  ): Promise<Account | undefined> {
    const former = await this.read(sessionOf(by));
    if (!former) return undefined;
    const { row, name } = this.newSession(request, known, former);
    const unit = [
      mustChange(deleteStep(this.sessions, { id: former.id })),
      ...this.store(row, former.now),
    ];
    if (!(await this.database.commit(unit))) return undefined;
    writeCookie(request, name);
    return signedIn(known, row);
  }

  /**
   * Authenticates a browser by its session. Notes the use of the session; removes the cookie of an ended session.
   */
  async authenticate(request: Request): Promise<Account | undefined> {
    const name = readCookie(request);
    if (!name || !this.areOn) return undefined;
    const row = await this.verifiedSession(name);
    const known = row && (await this.accounts.known(row.account));
    if (!row || !known?.mark.equals(row.mark) || !(await this.isVouchedFor(request, row, known))) {
      clearCookie(request);
      return undefined;
    }
    // The next user of the browser must not see pages of this session.
    request.res?.setHeader('Cache-Control', 'no-store');
    await this.use.note(request, row, name);
    return { ...known.account, session: row.id.toString('base64url') };
  }

  private async isVouchedFor(
    request: Request,
    row: ReadSession,
    known: KnownAccount,
  ): Promise<boolean> {
    if (known.identity === null) return true;
    return this.providerCheck !== undefined && this.providerCheck.isValid(request, row, known);
  }

  /** Whether the sign-in is recent enough to trust that it is the same user: enough to let others in. */
  async isFresh(account: Account): Promise<boolean> {
    if (account.session === undefined) return false;
    const row = await this.read(sessionOf(account));
    return row !== undefined && row.now - row.beganAt < FRESH_MS;
  }

  /** Ends the browser's session, on all instances. */
  async end(request: Request, { commit }: Pick<ChangingCall, 'commit'>): Promise<void> {
    const row = await this.verifiedSession(readCookie(request));
    if (row) await commit([deleteStep(this.sessions, { id: row.id })], {});
    clearCookie(request);
  }

  /** When the newest stored sessions of accounts began, in milliseconds since 1970, by name. */
  async newestOf(names: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await this.sessions.find({
      select: { id: true, account: true, beganAt: true },
      where: { account: In([...names]) },
      order: { beganAt: 'ASC' },
    });
    return new Map(rows.map(({ account, beganAt }) => [account, beganAt]));
  }

  /** The active sessions of the account, newest first. */
  async of(account: string): Promise<ConsoleSession[]> {
    const rows = await this.database.query(SESSIONS_OF_ACCOUNT[this.database.kind], { account });
    const known = await this.accounts.known(account);
    return rows.filter(
      (row) => known?.mark.equals(row.mark) && !isOver({ ...row, now: this.nowOf(row) }),
    );
  }

  /**
   * Ends one session of an account.
   *
   * @param id Base64URL
   * @throws ApiError E0044R if the account has no such session
   */
  async endOne(
    account: string,
    id: string,
    { commit }: Pick<ChangingCall, 'commit'>,
  ): Promise<void> {
    const session = await this.sessions.findOneBy({ id: Buffer.from(id, 'base64url'), account });
    if (!session) throw new ApiError('E0044R', 'session.unknown');
    const deletion = mustChange(deleteStep(this.sessions, { id: session.id, account }));
    const isEnded = await commit([deletion], { detail: { way: session.way } });
    if (!isEnded) throw new ApiError('E0044R', 'session.unknown');
  }

  /** Ends all sessions of an account; the audit row contains their number. */
  async endAll(account: string, { commit }: Pick<ChangingCall, 'commit'>): Promise<void> {
    const { length: sessions } = await this.of(account);
    await commit([deleteStep(this.sessions, { account })], { detail: { sessions } });
  }

  private newSession(
    { ip = '', headers }: Request,
    { account, mark }: Pick<KnownAccount, 'account' | 'mark'>,
    { way, beganAt, endsAt, provider, sidHash, now }: SessionProof & { readonly now: number },
  ) {
    const since = beganAt ?? now;
    const name: SessionName = { id: newId(now), secret: newSessionSecret() };
    const row: ConsoleSession = {
      id: name.id,
      account: account.name,
      mark,
      way,
      address: ip,
      secretHash: sha256(name.secret),
      previousHash: null,
      rotatedAt: now,
      beganAt: since,
      usedAt: now,
      endsAt: endsAt ?? since + LIFE_MS,
      browser: truncateUtf8(MAX_BROWSER_BYTES, headers['user-agent'] ?? ''),
      provider: provider ?? null,
      sidHash: sidHash ?? null,
    };
    return { row, name };
  }

  private store(row: ConsoleSession, now: number): Step[] {
    const ended = { now, idleSince: now - IDLE_MS };
    return [insertStep(this.sessions, row), DELETE_ENDED_SESSIONS.step(ended)];
  }

  async read(id: Buffer): Promise<ReadSession | undefined> {
    const [row] = await this.database.query(SESSION_BY_ID[this.database.kind], { id });
    return row && { ...row, now: this.nowOf(row) };
  }

  /** The current time of the database, in milliseconds since 1970. */
  async time(): Promise<number> {
    return (await serverFacts(this.database)).now ?? this.clock.now();
  }

  private nowOf({ now }: { readonly now: number | null }): number {
    return now ?? this.clock.now();
  }

  /**
   * The row of the cookie's session, unless the session has ended. Ends a session whose previous secret is used after
   * its replacement: then two browsers use it.
   */
  private async verifiedSession(name: SessionName | undefined): Promise<ReadSession | undefined> {
    if (!name) return undefined;
    const row = await this.read(name.id);
    if (!row || isOver(row)) return undefined;
    const hash = sha256(name.secret);
    if (timingSafeEqual(row.secretHash, hash)) return row;
    if (!row.previousHash || !timingSafeEqual(row.previousHash, hash)) return undefined;
    if (row.now < row.rotatedAt + GRACE_MS) return row;
    // Two browsers use one session: one shows the old secret, the other was given the new one.
    this.logger.warn(`A session of ${row.account} was ended: an old cookie of it was shown.`);
    await this.database.store([deleteStep(this.sessions, { id: row.id })]);
    return undefined;
  }
}

/** Whether a session has ended, or was not used for too long. */
const isOver = ({ endsAt, usedAt, now }: Pick<ReadSession, 'endsAt' | 'usedAt' | 'now'>): boolean =>
  endsAt <= now || usedAt + IDLE_MS <= now;

const signedIn = ({ account }: Pick<KnownAccount, 'account'>, { id }: ConsoleSession): Account => ({
  ...account,
  session: id.toString('base64url'),
});
