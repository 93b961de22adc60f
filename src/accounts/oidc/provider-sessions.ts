import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { Request } from 'express';
import { AuditTrail } from '../../audit/audit-trail.js';
import { callerFields } from '../../audit/request-rows.js';
import type { KnownAccount } from '../../platform/access/accounts/accounts.js';
import { HOUR_MS, MINUTE_MS } from '../../platform/common/durations.js';
import { sha256 } from '../../platform/common/sha256.js';
import { Database } from '../../platform/database/database.js';
import { ConsoleSessions, FRESH_MS, type ProviderCheck } from '../sessions/console-sessions.js';
import {
  END_SESSION,
  REPLACE_PROVIDER_STATE,
  type ReadSession,
} from '../sessions/session.statements.js';
import {
  authTimeOf,
  IdentityProvider,
  isRefusal,
  type ProviderAnswer,
} from './identity-provider.js';
import { ProviderAccounts } from './provider-accounts.js';
import { ProviderLogouts } from './provider-logouts.js';
import { ProviderSeal } from './provider-seal.js';

/** When the groups are read again. If the provider is away, the session goes on until an hour has passed. */
const RENEW_MS = 45 * MINUTE_MS;
/** How long a request may take to read them before another one tries. */
const CLAIM_MS = 30_000;
const POLL_MS = 250;
const REFRESH = 'refresh token';

/** The state of a session that began at the provider. All times are the database's. */
interface ProviderState {
  readonly subject: string;
  /** Sealed; without it, the session ends an hour after the sign-in. */
  readonly refreshToken: string | undefined;
  /** When the groups were read. */
  readonly checkedAt: number;
  /** When a request began to read them again. */
  readonly claimedAt: number;
  /** The settings by which the groups were judged. */
  readonly version: string;
  /** Whether a second factor was proved. */
  readonly hasFactor: boolean;
}

/** What a new session needs of the provider's answer. */
export interface ProvedAnswer extends Pick<ProviderAnswer, 'claims' | 'subject' | 'refreshToken'> {
  /** When the answer was asked for: the session begins only if the provider has ended none of the user's since. */
  readonly since: number;
}

const stateOf = ({ provider }: ReadSession): ProviderState | undefined =>
  provider === null ? undefined : (JSON.parse(provider) as ProviderState);

/**
 * Sessions that began at the OpenID provider. Their groups are read again before an hour has passed, by a request of
 * the session: of simultaneous ones on all instances only one does so, since a provider may accept a refresh token
 * only once.
 */
@Injectable()
export class ProviderSessions implements ProviderCheck, OnModuleInit {
  private readonly logger = new Logger(ProviderSessions.name);
  /** Renewals of this process by the session's ID. */
  private readonly renewing = new Map<string, Promise<boolean>>();
  private startedAt = 0;
  private hasWarned = false;

  constructor(
    private readonly provider: IdentityProvider,
    private readonly accounts: ProviderAccounts,
    private readonly sessions: ConsoleSessions,
    private readonly logouts: ProviderLogouts,
    private readonly seal: ProviderSeal,
    private readonly database: Database,
    private readonly trail: AuditTrail,
  ) {
    sessions.registerProviderCheck(this);
  }

  async onModuleInit(): Promise<void> {
    this.startedAt = await this.time();
  }

  /**
   * The members of a new session: `ConsoleSessions.begin` takes them.
   *
   * @param factor whether a second factor was proved, and whether by a key of this console: then the sign-in is recent
   *   in any case
   */
  async proofOf(
    { claims, subject, refreshToken, since }: ProvedAnswer,
    { hasFactor, usedKey = false }: { readonly hasFactor: boolean; readonly usedKey?: boolean },
  ) {
    const now = await this.time();
    const authenticated = authTimeOf(claims) ?? 0;
    const state: ProviderState = {
      subject,
      refreshToken: refreshToken && this.sealed(refreshToken),
      checkedAt: now,
      claimedAt: 0,
      version: this.accounts.version,
      hasFactor,
    };
    const sid = typeof claims['sid'] === 'string' ? claims['sid'] : undefined;
    return {
      // The provider may know the user from its own session: that is no recent proof.
      beganAt: usedKey ? now : Math.max(now - FRESH_MS, Math.min(now, authenticated)),
      ...(refreshToken === undefined && { endsAt: now + HOUR_MS }),
      provider: JSON.stringify(state),
      sidHash: sid === undefined ? null : sha256(sid),
      steps: this.logouts.noneSince(since, { subject, sid }),
    };
  }

  /** The current time of the database, in milliseconds since 1970. */
  time(): Promise<number> {
    return this.sessions.time();
  }

  async isValid(request: Request, session: ReadSession, known: KnownAccount): Promise<boolean> {
    const state = stateOf(session);
    if (!state || known.identity !== this.accounts.identityOf(state.subject)) return false;
    this.warnOfOtherSettings(state);
    if (!this.isDue(session, state)) return true;
    const id = session.id.toString('base64url');
    let renewal = this.renewing.get(id);
    if (!renewal) {
      renewal = this.renew(request, session, known).finally(() => this.renewing.delete(id));
      this.renewing.set(id, renewal);
    }
    return renewal;
  }

  /**
   * Warns if another running instance has judged a session by other settings: the two make each other read the groups
   * again with each request.
   */
  private warnOfOtherSettings({ checkedAt, version }: ProviderState): void {
    if (version === this.accounts.version || checkedAt < this.startedAt || this.hasWarned) return;
    this.hasWarned = true;
    this.logger.warn(
      'Another instance has another file of --console-oidc: give the same file to all instances.',
    );
  }

  private isDue({ now }: ReadSession, { checkedAt, version }: ProviderState): boolean {
    return now - checkedAt >= RENEW_MS || version !== this.accounts.version;
  }

  /** Whether the session may go on without new groups. */
  private mayGoOn({ now }: ReadSession, { checkedAt, version }: ProviderState): boolean {
    return now - checkedAt < HOUR_MS && version === this.accounts.version;
  }

  /** Reads the groups, or waits for the request that does. */
  private async renew(request: Request, found: ReadSession, known: KnownAccount): Promise<boolean> {
    for (;;) {
      const session = await this.sessions.read(found.id);
      const state = session && stateOf(session);
      if (!state) return false;
      if (!this.isDue(session, state)) return true;
      if (state.refreshToken === undefined) return this.mayGoOn(session, state);
      if (session.now < state.claimedAt + CLAIM_MS) {
        if (this.mayGoOn(session, state)) return true;
        await pause(POLL_MS);
        continue;
      }
      const { refreshToken } = state;
      const claimed = { ...state, refreshToken, claimedAt: session.now };
      if (await this.replace(session, state, claimed))
        return this.readGroups(request, session, known, claimed);
    }
  }

  /** Reads the groups of a claimed session, and ends it if they allow it no longer. */
  private async readGroups(
    request: Request,
    session: ReadSession,
    known: KnownAccount,
    state: ProviderState & { readonly refreshToken: string },
  ): Promise<boolean> {
    const end = async (why: string) => {
      await this.database.store([END_SESSION.step({ id: session.id })]);
      await this.recordEnd(request, known, why);
      return false;
    };
    try {
      const tokens = await this.provider.refresh(this.seal.open(state.refreshToken, REFRESH));
      const next = tokens.refresh_token;
      const renewed = next === undefined ? state : { ...state, refreshToken: this.sealed(next) };
      // Stored before anything else can fail: the former one may be valid no longer.
      if (next !== undefined && !(await this.replace(session, state, renewed))) return false;
      const answer = await this.provider.answerOf(tokens, state.subject);
      const access = this.accounts.accessOf(answer);
      if (!access) {
        await this.accounts.withdraw(request, state.subject);
        return false;
      }
      if (access.secondFactor && !state.hasFactor) return await end('no second factor');
      // If the access has changed, this ends all sessions of the account: then there is nothing to replace.
      await this.accounts.grant(request, answer, access);
      return await this.replace(session, renewed, {
        ...renewed,
        checkedAt: session.now,
        claimedAt: 0,
        version: this.accounts.version,
      });
    } catch (error) {
      if (isRefusal(error)) return end('refused by the provider');
      this.logger.warn(`The groups of ${known.account.name} could not be read: ${String(error)}`);
      return this.mayGoOn(session, state) || end('provider away');
    }
  }

  /** @returns `false` if another request has replaced the state, or ended the session */
  private replace(
    { id }: ReadSession,
    former: ProviderState,
    next: ProviderState,
  ): Promise<boolean> {
    const change = { id, former: JSON.stringify(former), next: JSON.stringify(next) };
    return this.database.commit([REPLACE_PROVIDER_STATE.mustChange(change)]);
  }

  private sealed(refreshToken: string): string {
    return this.seal.seal(refreshToken, REFRESH);
  }

  private recordEnd(request: Request, known: KnownAccount, why: string) {
    return this.trail.append({
      ...callerFields(request, known.account),
      action: 'console.sign-out',
      result: 'ok',
      detail: { way: 'oidc', why },
    });
  }
}
