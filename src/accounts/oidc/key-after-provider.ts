import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Accounts, type KnownAccount } from '../../platform/access/accounts/accounts.js';
import type { ApiError } from '../../platform/errors/api-error.js';
import { problem } from '../../platform/errors/reasons.js';
import { consoleHost, readResponse } from '../keys/key-ceremony.js';
import { KeySignIn } from '../keys/key-sign-in.js';
import type { SessionProof } from '../sessions/console-sessions.js';
import { ConsoleSignIn } from '../sign-in/console-sign-in.js';
import type { SignInTarget } from '../sign-in/sign-in-completion.js';
import { ProviderSeal } from './provider-seal.js';
import { ProviderSessions, type ProvedAnswer } from './provider-sessions.js';

const USE = 'pending sign-in';

/** An account that may have a session now, and what proves it. */
export interface ProvedSignIn {
  readonly known: KnownAccount;
  readonly target: SignInTarget;
  readonly proof: SessionProof;
}

/** What the page that asks for the key keeps, sealed. */
interface PendingSignIn {
  readonly account: string;
  readonly answer: ProvedAnswer;
}

/** A key of this console as the second factor, after the provider has proved the first. */
@Injectable()
export class KeyAfterProvider {
  constructor(
    private readonly keys: KeySignIn,
    private readonly accounts: Accounts,
    private readonly signIn: ConsoleSignIn,
    private readonly sessions: ProviderSessions,
    private readonly seal: ProviderSeal,
  ) {}

  /** Returns the E0042R with the page that asks for the key: the account is not signed in yet. */
  ask(
    request: Request,
    target: SignInTarget,
    known: KnownAccount,
    { subject, refreshToken, claims: { auth_time, sid }, since }: ProvedAnswer,
  ): Promise<ApiError> {
    // Only the claims that `proofOf` reads: all groups of a user may be too much for a form.
    const answer = { subject, refreshToken, claims: { auth_time, sid }, since };
    const pending: PendingSignIn = { account: known.account.name, answer };
    return this.signIn.keyNeeded(
      request,
      target,
      known,
      this.seal.seal(JSON.stringify(pending), USE),
    );
  }

  /**
   * @param pending what the page kept; the challenge that the key signed belongs to it and to the account's state
   * @param response the prompt's answer as JSON
   * @throws ApiError E0042R with the sign-in page; E0040R after too many failures
   */
  async finish(
    request: Request,
    { pending, response, ...target }: SignInTarget & { pending: string; response: string },
  ): Promise<ProvedSignIn> {
    const held = this.opened(pending);
    const succeeded = this.signIn.countAttempt(request, target, held?.account ?? '');
    const password = held && (await this.accounts.known(held.account));
    const host = consoleHost(request);
    const sent = readResponse(response);
    const isComplete = password && host && sent;
    const used = isComplete && (await this.keys.signIn(host, sent, { password, pending }));
    if (!held || !used) {
      if (password) this.signIn.noteFailure(request, password.account.name, 'oidc+key');
      throw await this.signIn.wrong(request, target, problem('console.wrongKey'));
    }
    succeeded();
    const proof = await this.sessions.proofOf(held.answer, { hasFactor: true, usedKey: true });
    return { known: used.known, target, proof: { way: 'oidc+key', ...proof, key: used.key } };
  }

  private opened(pending: string): PendingSignIn | undefined {
    try {
      return JSON.parse(this.seal.open(pending, USE)) as PendingSignIn;
    } catch {
      return undefined;
    }
  }
}
