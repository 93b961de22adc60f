import { Injectable } from '@nestjs/common';
import { Moves } from '../../users/moves/moves.js';
import { credentialHashOf } from '../../users/credentials/credential-reader.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { Client } from '../../events/ledger.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { KeyFindings } from '../../trust/findings/key-findings.js';
import {
  belongsToPredecessor,
  type NamedAuthentication,
  type PendingAuthentication,
} from '../ceremonies/ceremony.js';
import { withCeremony } from '../ceremonies/caller-session.js';
import type { CallerSession } from '../ceremonies/stores/ceremony-store.js';
import { RegistrationOptions } from '../registration/registration-options.js';
import { AuthenticationService } from './authentication.service.js';
import type { AuthenticationAnswer } from './authentication.answer.js';
import type { AuthenticationResultDto } from './authentication.dto.js';

/** The client of a sign-in, and the session in which the ceremony of a new key would wait. */
interface Origin {
  readonly client: Client | undefined;
  readonly session: () => CallerSession;
}

/**
 * The result call of an authentication, even at a new domain with a key of the old one. OUT OF SPEC: two RP IDs serve
 * one account. The browser lets a page of the new domain use the old RP ID, since the old domain lists the page's
 * origin (WebAuthn L3 §5.11).
 */
@Injectable()
export class CompleteAuthentication {
  constructor(
    private readonly authentication: AuthenticationService,
    private readonly registrations: RegistrationOptions,
    private readonly moves: Moves,
    private readonly findings: KeyFindings,
  ) {}

  /**
   * @returns the answer of any sign-in; after a verified sign-in with a key of the old domain, also options for a
   *   new key
   * @throws ApiError E0024R if the domain no longer has a predecessor
   */
  async complete(
    rp: RelyingParty,
    pending: PendingAuthentication,
    dto: AuthenticationResultDto,
    from: Origin,
  ): Promise<AuthenticationAnswer> {
    if (belongsToPredecessor(pending)) return this.completeMoved(rp, pending, dto, from);
    const { answer } = await this.authentication.complete(rp, pending, dto, from.client);
    if (!this.findings.isNoticeDue(rp)) return answer;
    // A policy rule may refuse the key from a certain day on.
    const hash = credentialHashOf(Buffer.from(answer.credentialId, 'base64url'));
    const notice = await this.findings.notice(rp, hash);
    return notice ? { ...answer, notice } : answer;
  }

  private async completeMoved(
    rp: RelyingParty,
    pending: NamedAuthentication,
    dto: AuthenticationResultDto,
    { client, session }: Origin,
  ) {
    const former = this.moves.formerOf(rp);
    if (!former) throw new ApiError('E0024R');
    const completed = await this.authentication.complete(former, pending, dto, client);
    const { answer, isVerified } = completed;
    if (!isVerified) return answer;
    const upgrade = await this.upgrade(rp, pending, { answer, session: session() });
    return upgrade ? { ...answer, upgrade } : answer;
  }

  /**
   * Options for a new key, without a prompt if that is allowed; if the browser refuses to do it without a prompt, the
   * page may prompt with the same options. `undefined` if the user can have no further key: the sign-in stays valid.
   */
  private async upgrade(
    rp: RelyingParty,
    { subject }: NamedAuthentication,
    { answer, session }: { answer: AuthenticationAnswer; session: CallerSession },
  ) {
    const { username, displayName } = answer;
    const hash = credentialHashOf(Buffer.from(answer.credentialId, 'base64url'));
    const caller = {
      session,
      authorization: undefined,
      key: undefined,
      moved: {
        permit: { movedWith: hash.toString('base64url') },
        pendingUserId: subject === undefined ? {} : { subject, binds: true as const },
      },
    };
    // User verification may be required, which is impossible without a prompt.
    for (const mediation of ['conditional', 'optional'] as const) {
      try {
        const dto = { username, displayName, mediation };
        return withCeremony(await this.registrations.begin(rp, dto, caller), session);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
      }
    }
    return undefined;
  }
}
