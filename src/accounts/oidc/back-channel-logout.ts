import { Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Request } from 'express';
import { IsNull, type FindOptionsWhere, type Repository } from 'typeorm';
import { AuditTrail } from '../../audit/audit-trail.js';
import { sha256 } from '../../platform/common/sha256.js';
import { deleteStep } from '../../platform/database/commit/step-of.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { ConsoleSession } from '../sessions/console-session.entity.js';
import { IdentityProvider, type ProviderLogout } from './identity-provider.js';
import { ProviderAccounts } from './provider-accounts.js';
import { ProviderLogouts } from './provider-logouts.js';

const invalidToken = () => new ApiError('E0001R', 'console.oidc.logoutToken');

/** Ends sessions when the provider says so (OpenID Connect Back-Channel Logout 1.0). */
@Injectable()
export class BackChannelLogout {
  private readonly logger = new Logger(BackChannelLogout.name);

  constructor(
    @InjectRepository(ConsoleSession) private readonly sessions: Repository<ConsoleSession>,
    private readonly provider: IdentityProvider,
    private readonly accounts: ProviderAccounts,
    private readonly logouts: ProviderLogouts,
    private readonly trail: AuditTrail,
  ) {}

  /**
   * Ends the sessions that a logout token names, on all instances, and the sign-ins that are under way for them. One
   * unit uses the token up, ends them and stores the audit row.
   *
   * @throws ApiError E0001R if it is not valid, or was used before
   */
  async end({ ip: address = '', requestId }: Request, token: string): Promise<void> {
    const logout = await this.verified(token);
    const account = logout.subject === undefined ? null : await this.accounts.find(logout.subject);
    const wanted = conditionsOf(logout, account?.name ?? '');
    const found = await this.sessions.findBy(wanted);
    const entry = {
      account: account?.name ?? found[0]?.account ?? 'system',
      role: account?.role ?? '',
      address,
      requestId,
      action: 'console.sign-out' as const,
      result: 'ok' as const,
      detail: { way: 'oidc', why: 'back-channel logout', sessions: found.length },
    };
    const unit = [
      ...(await this.logouts.noting(logout)),
      ...wanted.map((one) => deleteStep(this.sessions, one)),
    ];
    if (!(await this.trail.commit([entry], unit))) throw invalidToken();
  }

  private async verified(token: string): Promise<ProviderLogout> {
    try {
      return await this.provider.logoutOf(token);
    } catch (error) {
      this.logger.warn(`A logout token was refused: ${String(error)}`);
      throw invalidToken();
    }
  }
}

/** A session of the provider, or all of a user's; sessions for which the provider gave no ID count as the former. */
function conditionsOf(
  { subject, sid }: ProviderLogout,
  account: string,
): FindOptionsWhere<ConsoleSession>[] {
  if (sid === undefined) return [{ account }];
  const sidHash = sha256(sid);
  if (subject === undefined) return [{ sidHash }];
  return [
    { account, sidHash },
    { account, sidHash: IsNull() },
  ];
}
