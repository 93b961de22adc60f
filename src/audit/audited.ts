import {
  Injectable,
  UseGuards,
  UseInterceptors,
  applyDecorators,
  type CallHandler,
  type CanActivate,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { mergeMap, type Observable } from 'rxjs';
import type { Unit } from '../platform/database/commit/unit.js';
import { callerOf, type Account } from '../platform/access/accounts/account.js';
import { AllowHere, type CallerOptions } from '../platform/access/allow.js';
import type { Permission } from '../platform/access/permissions.js';
import { fromRequest } from '../platform/common/from-request.js';
import type { CommitOptions } from '../platform/database/database.js';
import type { AuditAction, AuditEntry } from './audit-entry.js';
import { AuditTrail } from './audit-trail.js';
import { appendRow, rowOf, type AuditNote, type AuditFacts } from './request-rows.js';

/** Creates the note of a request from its parameters; `undefined` for one that only reads. */
type Describe = (request: Request) => AuditNote | undefined;

const DescribedBy = Reflector.createDecorator<Describe>();

/** What an audited handler changes, and who may call it. */
export interface AuditedOptions extends CallerOptions {
  /** The permission, if not the controller's; one of several is enough (`AllowHere`). */
  readonly allow?: Permission | readonly Permission[];
  /** The path parameter that names the target. */
  readonly target?: string;
  /** Further guards, which run after those of the permissions. */
  readonly guards?: Parameters<typeof UseGuards>;
}

/**
 * Decorates an administration handler that changes something: each call of a known account leaves one row in the
 * audit trail before it is answered, whether it succeeded or was refused. The route parameters `tenant` and
 * `domain` are recorded automatically; the handler adds further facts by `@CurrentCall()`.
 *
 * ```ts
 * @Audited('account.reset', { target: 'name' })
 * @Audited(({ query }) => CHANGES[query.type] && { action: CHANGES[query.type], target: query.filter })
 * ```
 *
 * @param what the action, or a function that reads it from the request
 */
export const Audited = (
  what: AuditAction | Describe,
  { target, allow, guards = [], ...options }: AuditedOptions = {},
) =>
  applyDecorators(
    DescribedBy(typeof what === 'string' ? noteAbout(what, target) : what),
    UseInterceptors(AuditInterceptor),
    AllowHere(allow, options),
    UseGuards(...guards),
  );

const noteAbout =
  (action: AuditAction, target: string | undefined): Describe =>
  ({ params }) => ({ action, target: target === undefined ? undefined : String(params[target]) });

/** Runs before all other guards, so that their refusals are recorded too. Never refuses a request itself. */
@Injectable()
export class AuditGuard implements CanActivate {
  /** The reflector's result for each handler, cached because this guard runs on every call. */
  private readonly known = new Map<object, Describe | undefined>();

  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const handler = context.getHandler();
    if (!this.known.has(handler)) this.known.set(handler, this.reflector.get(DescribedBy, handler));
    const describe = this.known.get(handler);
    if (describe) {
      const request = context.switchToHttp().getRequest<Request>();
      const { tenant, domain } = request.params as Record<string, string | undefined>;
      const note = describe(request);
      request.auditNote = note && { tenant, relyingParty: domain, ...note };
    }
    return true;
  }
}

/**
 * Lets a call begin only if its row can be written, and writes the row when the call succeeds; the error filter
 * writes the rows of refused calls.
 */
@Injectable()
class AuditInterceptor implements NestInterceptor {
  constructor(private readonly trail: AuditTrail) {}

  /** @throws ApiError E0052R if a row could not be written, otherwise the driver's error; nothing was changed then */
  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<Request>();
    if (request.auditNote) await this.trail.ready();
    request.auditedCall = callOf(request, this.trail);
    return next.handle().pipe(
      mergeMap(async (answer: unknown) => {
        if (!request.hasAuditRow) await appendRow(this.trail, request, { result: 'ok' });
        return answer;
      }),
    );
  }
}

/**
 * A call that changes something, and the rows that it leaves in the audit trail:
 *
 * ```text
 * the handler returns, and       the call leaves
 * nothing else                   its own row, with what `about` told
 * `commit` returned true         the rows of `commit`
 * `commit([], facts)`            a row beside no change
 * `commit` returned false        its own row; handlers rather throw or try again
 * `useRowPerChange`              the rows that services store with their changes
 * `omitRow`                      no row
 * `refuse`                       the row of a refusal
 * the handler throws             the row of the refusal, whatever it has called before
 * ```
 */
export interface AuditedCall {
  readonly account: Account;
  /** For a form, whose page may be shown again. */
  readonly request: Request;
  readonly requestId: string;
  /**
   * Names what the call acts on, for its row: that of a refusal, or those of `commit`, whose facts add to these. Does
   * nothing if the parameters request no change: then the call has no row.
   */
  about(facts: AuditFacts): void;
  /**
   * Stores a change and its rows in one unit. A call that changes several things may do so for each.
   *
   * @param facts of the row, or of each of several
   * @returns `false` if a condition or a unique key refused the change; nothing is stored then
   * @throws as `AuditTrail.commit`
   */
  commit(
    change: Unit,
    facts: AuditFacts | readonly AuditFacts[],
    options?: CommitOptions,
  ): Promise<boolean>;
  /**
   * Leaves it to services to store a row with each change: from now on, the call leaves no row itself, unless it commits
   * one or is refused.
   *
   * @returns the function that creates these rows
   * @throws Error from the function if the parameters request no change
   */
  useRowPerChange(): (facts: AuditFacts) => AuditEntry;
  /** Leaves no row, unless the call commits one or is refused: for a repeated call, which changes nothing. */
  omitRow(): void;
  /** Stores the row of a refusal that is answered with a page instead of an error. */
  refuse(facts: AuditFacts): Promise<void>;
}

/** What a service needs of the call whose change it stores; a command has it too. */
export type ChangingCall = Pick<AuditedCall, 'account' | 'about' | 'commit'>;

declare module 'express-serve-static-core' {
  interface Request {
    /** Set once the guards of an audited handler have passed. */
    auditedCall?: AuditedCall;
  }
}

/** The call with its account; requires `Audited`. */
export const CurrentCall = fromRequest(({ auditedCall }): AuditedCall => {
  if (!auditedCall) throw new Error('The handler is not @Audited.');
  return auditedCall;
});

function callOf(request: Request, trail: AuditTrail): AuditedCall {
  const { auditNote: note, requestId } = request;
  const about = (facts: AuditFacts) => {
    if (note) Object.assign(note, facts);
  };
  const row = (facts: AuditFacts) => {
    if (!note) throw new Error('The parameters of this call request no change.');
    return rowOf(request, note, facts);
  };
  const omitRow = () => {
    request.hasAuditRow = true;
  };
  return {
    account: callerOf(request),
    request,
    requestId,
    about,
    commit: async (change, facts, options) => {
      const stored = await trail.commit([facts].flat().map(row), change, options);
      if (stored) omitRow();
      return stored;
    },
    useRowPerChange: () => {
      omitRow();
      return row;
    },
    omitRow,
    refuse: (facts) => {
      about(facts);
      return appendRow(trail, request, { result: 'refused' });
    },
  };
}
