import { Injectable } from '@nestjs/common';
import type { Type } from '@nestjs/common';
import type { Request } from 'express';
import { ApiError } from '../errors/api-error.js';
import { requireJson } from '../http/json-body.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { RelyingPartyFinder } from '../tenancy/relying-party-finder.js';
import { asItCame } from '../validation/dto.pipe.js';
import { isObject } from '../validation/field.js';
import { originAllowed } from '../webauthn/origin.js';
import { Ceremonies } from './ceremonies/ceremonies.js';
import type { CeremonyKind, Pending, PendingOf } from './ceremonies/ceremony.js';
import { RateLimits } from './rate-limits.js';
import type { Caller } from './rate-limits.js';

/** A request with what is known of it already, for the record of refusals. */
export interface FidoRequest extends Request {
  relyingParty?: RelyingParty;
  pending?: Pending;
}

/** A call that may go on. */
interface Admitted {
  readonly rp: RelyingParty;
  readonly caller: Caller;
}

/**
 * What each FIDO call passes before its ceremony, in the order in which the first fault answers. It is
 * one function of plain calls and not a row of guards, pipes and parameter decorators: these would
 * each wait for a promise, which costs a login a tenth of its time.
 */
@Injectable()
export class Reception {
  constructor(
    private readonly limits: RateLimits,
    private readonly relyingParties: RelyingPartyFinder,
    private readonly ceremonies: Ceremonies,
  ) {}

  /** @throws ApiError E0048R, E0001R, E0040R, E0025R, E0026R, or the code of the DTO's first broken rule */
  begin<Dto extends { username: string }>(
    request: FidoRequest,
    type: Type<Dto>,
  ): { rp: RelyingParty; dto: Dto } {
    const { rp, caller } = this.admit(request);
    const dto = asItCame(type, request.body as object);
    this.limits.countUser(caller, rp, dto.username);
    return { rp, dto };
  }

  /**
   * Takes the pending ceremony that a result call names before anything in the body is judged: it is
   * used then, whatever the outcome.
   *
   * @throws ApiError as `begin`, and E0024R or E0029R
   */
  async complete<Kind extends CeremonyKind, Dto extends object>(
    request: FidoRequest,
    kind: Kind,
    type: Type<Dto>,
  ): Promise<Admitted & { pending: PendingOf<Kind>; dto: Dto }> {
    const { rp, caller } = this.admit(request);
    const name = request.session?.begun ? request.sessionID : undefined;
    const pending = await this.ceremonies.take(rp, kind, name, challengeOf(request.body));
    request.pending = pending;
    // Nothing of the session is to be kept, so express-session has nothing to compare and to save.
    Object.assign(request, { session: null });
    const { origin } = request.headers;
    if (origin !== undefined && !originAllowed(origin, rp.origins)) throw new ApiError('E0029R');
    const dto = asItCame(type, request.body as object);
    this.limits.countUser(caller, rp, pending.username);
    return { rp, caller, pending, dto };
  }

  private admit(request: FidoRequest): Admitted {
    requireJson(request);
    const caller = this.limits.countCall(request.ip);
    const rp = this.relyingParties.find(request);
    request.relyingParty = rp;
    return { rp, caller };
  }
}

const BYTE_ORDER_MARK = '\uFEFF';

/** The challenge that the client data names, as far as it can be read; nothing is judged here. */
function challengeOf(body: unknown): string {
  const response = isObject(body) ? body['response'] : undefined;
  const text = isObject(response) ? response['clientDataJSON'] : undefined;
  if (typeof text !== 'string') return '';
  const json = Buffer.from(text, 'base64url').toString('utf8');
  try {
    const clientData: unknown = JSON.parse(json.startsWith(BYTE_ORDER_MARK) ? json.slice(1) : json);
    const challenge = isObject(clientData) ? clientData['challenge'] : undefined;
    return typeof challenge === 'string' ? challenge : '';
  } catch {
    return '';
  }
}
