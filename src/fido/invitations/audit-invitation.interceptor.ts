import {
  Injectable,
  Logger,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request } from 'express';
import { catchError, mergeMap, type Observable } from 'rxjs';
import type { AuditEntry } from '../../audit/audit-entry.js';
import { AuditTrail } from '../../audit/audit-trail.js';
import { refusalFacts } from '../../audit/refusal-facts.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { InvitationPermit } from '../../invitations/invitation-permits.js';
import { Invitations, isCode } from '../../invitations/invitations.js';
import { isObject } from '../../platform/validation/field-validator.js';

/** Account and role in audit rows about a user who follows an invitation and has no account. */
const FOLLOWER = { account: 'invitation', role: 'person' } as const;

/**
 * Writes an audit row for each registration that is begun with an invitation or refused. Other registrations pass
 * unchanged.
 */
@Injectable()
export class AuditInvitation implements NestInterceptor {
  constructor(
    private readonly trail: AuditTrail,
    private readonly invitations: Invitations,
  ) {}

  /** @throws ApiError as `AuditTrail.ready`: if no row can be written, nothing is begun */
  intercept(
    context: ExecutionContext,
    next: CallHandler,
  ): Observable<unknown> | Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<Request>();
    const code = codeOf(request);
    return code === undefined ? next.handle() : this.begun(request, code, next);
  }

  private async begun(
    request: Request,
    code: string,
    next: CallHandler,
  ): Promise<Observable<unknown>> {
    await this.trail.ready();
    const write = async (outcome: Pick<AuditEntry, 'result' | 'code' | 'detail'>) => {
      const rp = request.relyingParty;
      const found = rp && (await this.invitations.find(rp, code));
      // An unknown code belongs to no invitation: guessed codes must not fill the trail.
      if (!found) return;
      const detail = { invitation: found.id.toString('base64url'), ...outcome.detail };
      await this.trail.append(rowOf(request, { action: 'invitation.begin', ...outcome, detail }));
    };
    return next.handle().pipe(
      catchError(async (error: unknown) => {
        if (error instanceof ApiError && error.code !== null) {
          const { code, problem } = error;
          // A refusal is final even if its row cannot be stored.
          await write({ result: 'refused', code, detail: refusalFacts(problem) }).catch(unwritten);
        }
        throw error;
      }),
      mergeMap(async (answer: unknown) => {
        await write({ result: 'ok' });
        return answer;
      }),
    );
  }
}

/** The row of a step of an invitation. */
function rowOf(
  { ip = '', requestId, relyingParty: rp, pending, body }: Request,
  step: Pick<AuditEntry, 'action' | 'detail' | 'result' | 'code'>,
): AuditEntry {
  const named: unknown = isObject(body) ? body['username'] : undefined;
  return {
    ...FOLLOWER,
    ...step,
    address: ip,
    requestId,
    tenant: rp?.tenant,
    relyingParty: rp?.domain,
    target: pending?.username ?? (typeof named === 'string' ? named : undefined),
  };
}

/** The audit row of a key that an invitation permits, for the unit that stores the key. */
export function invitedKeyRow(request: Request): AuditEntry | undefined {
  const permit = permitOf(request);
  if (!permit) return undefined;
  const { invitation, keysMade } = permit;
  // `key` is the number of the key within the invitation, from 1 on.
  const detail = { invitation, key: keysMade + 1 };
  return rowOf(request, { action: 'invitation.key', detail, result: 'ok' });
}

const unwritten = (error: unknown): void => {
  Logger.error(`A refused invitation has no audit row: ${String(error)}`, 'Audit');
};

function permitOf({ pending }: Request): InvitationPermit | undefined {
  const permit = pending?.kind === 'registration' ? pending.permit : undefined;
  return permit && 'invitation' in permit ? permit : undefined;
}

function codeOf({ body }: Request): string | undefined {
  const ticket: unknown = isObject(body) ? body['ticket'] : undefined;
  return typeof ticket === 'string' && isCode(ticket) ? ticket : undefined;
}
