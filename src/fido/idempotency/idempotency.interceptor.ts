import { hash } from 'node:crypto';
import {
  Injectable,
  UseInterceptors,
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Request } from 'express';
import { from, lastValueFrom, type Observable } from 'rxjs';
import type { Repository } from 'typeorm';
import { Clock } from '../../platform/common/clock.js';
import { deleteStep, insertStep } from '../../platform/database/commit/step-of.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { Database } from '../../platform/database/database.js';
import { scope } from '../../platform/database/scope.js';
import { ApiError, Refuses } from '../../platform/errors/api-error.js';
import { ApiHeader } from '../../platform/http/openapi/openapi.js';
import type { ApplicationKeyGrant } from '../../platform/access/accounts/account.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { failWithoutRelyingParty } from '../../tenancy/scope/tenant.interceptor.js';
import { nestsDeeper } from '../../platform/validation/nesting.js';
import type {} from '../limits/fido-caller.guard.js';
import { Ceremonies } from '../ceremonies/ceremonies.js';
import { namedKeySession } from '../ceremonies/caller-session.js';
import { Completes } from '../ceremonies/ceremony.interceptor.js';
import type { CallerSession } from '../ceremonies/stores/ceremony-store.js';
import { signalsOf } from '../ceremonies/ceremony.answer.js';
import { CredentialReader } from '../../users/credentials/credential-reader.js';
import { ANSWER_LIFE_MS, KeptAnswers, type KeepAnswer, type KeptAnswer } from './kept-answers.js';
import { RepeatableRegistration } from './repeatable-registration.entity.js';

declare module 'express-serve-static-core' {
  interface Request {
    /** Set for a call with an `Idempotency-Key`. */
    keepAnswer?: KeepAnswer;
  }
}

const HEADER = 'idempotency-key';
/** Visible ASCII. */
const FORM = /^[\x21-\x7e]{1,64}$/;
/** More than the nesting of any authenticator response. */
const MAX_LEVELS = 100;

type AnsweredCall = Pick<RepeatableRegistration, 'callHash' | 'bodyHash' | 'userId'> & {
  readonly answer: object;
};

/**
 * Returns the first answer to an application that repeats a call with the same `Idempotency-Key`, since it may have
 * been lost. The header is ignored for other callers: without an application key there is no namespace in which
 * to store an answer.
 *
 * The row of a registration is stored with the key, so that a repeat is answered even if the process died before it
 * answered the first call.
 */
@Injectable()
@Refuses('E0001R')
class IdempotencyInterceptor implements NestInterceptor {
  constructor(
    private readonly answers: KeptAnswers,
    private readonly ceremonies: Ceremonies,
    @InjectRepository(RepeatableRegistration)
    private readonly rows: Repository<RepeatableRegistration>,
    private readonly database: Database,
    private readonly reader: CredentialReader,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws ApiError E0001R for a malformed header, or a body that is nested too deeply to be compared, else as
   *   `KeptAnswers.answer`
   */
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    const { caller, relyingParty: rp, headers } = request;
    const key = headers[HEADER];
    if (key === undefined || !caller?.key) return next.handle();
    if (rp === undefined) return failWithoutRelyingParty();
    if (typeof key !== 'string' || !FORM.test(key))
      throw new ApiError('E0001R', 'idempotencyKey.malformed');
    const session = sessionOf(caller.key, rp, key);
    const body = bodyDigest(request.body as object);
    const callHash = Buffer.from(session.id, 'base64url');
    const bodyHash = Buffer.from(body, 'base64url');
    request.keepAnswer = (answer, userId) =>
      this.storing(rp, { callHash, bodyHash, userId, answer });
    return from(
      this.answers.answer({
        session,
        body,
        run: () => lastValueFrom(next.handle()),
        giveBack: () => this.giveBack(request),
        stored: () => this.find(rp, callHash),
      }),
    );
  }

  /** The step of the registration's unit that stores the row. */
  private storing(rp: RelyingParty, { answer, ...call }: AnsweredCall): Step {
    const expiresAt = this.clock.now() + ANSWER_LIFE_MS;
    const text = JSON.stringify(answer);
    return insertStep(this.rows, { ...scope(rp), ...call, answer: text, expiresAt });
  }

  /** The answer of a stored registration; `undefined` if there is none, or its user no longer exists. */
  private async find(rp: RelyingParty, callHash: Buffer): Promise<KeptAnswer | undefined> {
    const row = await this.rows.findOneBy({ ...scope(rp), callHash });
    if (!row) return undefined;
    const isValid = Number(row.expiresAt) > this.clock.now();
    const user = isValid ? await this.reader.findUserById(rp, row.userId) : undefined;
    if (!user) {
      // It would refuse the registration that follows.
      await this.database.store([deleteStep(this.rows, { ...scope(rp), callHash })]);
      return undefined;
    }
    const keys = await this.reader.findAllKeys(rp, row.userId);
    const { username } = user;
    const signals = signalsOf(rp, { ...user, keys });
    const body = row.bodyHash.toString('base64url');
    const { status, errorMessage, ...answer } = JSON.parse(row.answer) as Record<string, unknown>;
    return {
      body,
      expiresAt: Number(row.expiresAt),
      answer: { status, errorMessage, username, ...answer, signals },
    };
  }

  /** The call took its ceremony, which a repeat needs. */
  private async giveBack({ caller, body, pending }: Request): Promise<void> {
    const { ceremony } = body as { readonly ceremony?: unknown };
    const id = caller?.key && namedKeySession(caller.key, ceremony);
    if (!id || pending?.kind !== 'registration') return;
    await this.ceremonies.giveBack({ id, callers: caller.callers }, pending);
  }
}

/**
 * Marks the call that completes a registration, which an application may repeat by its header. The interceptor for
 * repeats is outside the one of `Completes`: a repeated call takes no ceremony, since the application receives the first
 * answer again.
 */
export const CompletesRepeatableRegistration = () =>
  applyDecorators(
    UseInterceptors(IdempotencyInterceptor),
    Completes('registration'),
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description:
        'unique value; a repeated call with the same value gets the same answer; only with an ' +
        'application key',
      schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,64}$' },
    }),
  );

const digest = (text: string): string => hash('sha256', text, 'base64url');

function bodyDigest(body: object): string {
  if (nestsDeeper(body, MAX_LEVELS)) throw new ApiError('E0001R', 'request.tooDeep');
  return digest(JSON.stringify(body));
}

const sessionOf = (
  { id, tenant }: ApplicationKeyGrant,
  rp: RelyingParty,
  key: string,
): CallerSession => ({
  id: digest(`${id} ${rp.id.toString('base64url')} ${key}`),
  callers: [tenant, id],
});
