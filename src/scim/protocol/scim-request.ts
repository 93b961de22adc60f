import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request, RequestHandler } from 'express';
import type { AuditedCall } from '../../audit/audited.js';
import { ApplicationKeyAccounts } from '../../platform/access/accounts/application-key-accounts.js';
import { secretIn } from '../../platform/access/accounts/key-secret.js';
import { ensureKeyPermission } from '../../platform/access/permissions.js';
import { fromRequest } from '../../platform/common/from-request.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { expectedTags, type ExpectedTags } from '../../platform/http/versions.js';
import { isObject } from '../../platform/validation/field-validator.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { membersOf } from './attributes.js';
import { errorBody } from './scim-error.js';

export const SCIM_PATH = 'scim/v2/:tenant/:domain';

const MEDIA_TYPE = 'application/scim+json';

/** The types of a request's body (RFC 7644 §3.8). */
export const JSON_TYPES = /^application\/(?:scim\+)?json\s*(?:;|$)/i;

/** Makes answers and errors below /scim SCIM's. */
export const scimAnswers: RequestHandler = (request, response, next) => {
  request.errorBody = errorBody;
  response.setHeader('Content-Type', `${MEDIA_TYPE}; charset=utf-8`);
  next();
};

const CHALLENGE = { 'WWW-Authenticate': 'Bearer realm="ServiceFido"' };

/**
 * Admits application keys with the permission `scim`, to the relying parties that they cover. Any other path does not
 * exist for them (E0044R), so that it tells nobody which tenants and domains there are.
 */
@Injectable()
export class ScimGuard implements CanActivate {
  constructor(
    private readonly keys: ApplicationKeyAccounts,
    private readonly relyingParties: RelyingPartyCache,
  ) {}

  /** @throws ApiError E0042R, E0043R or E0044R */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const secret = secretIn(request.headers.authorization);
    if (secret === undefined) {
      throw new ApiError('E0042R', 'applicationKey.needed', {}, { headers: CHALLENGE });
    }
    const account = await this.keys.authenticate(secret);
    request.user = account;
    if (account.key) ensureKeyPermission(account.key, 'scim');
    const { tenant, domain = '' } = request.params as Record<string, string | undefined>;
    const rp = this.relyingParties.findVisible(account, domain);
    if (!rp || rp.tenant !== tenant) throw new ApiError('E0044R', 'tenant.noRelyingParty');
    request.relyingParty = rp;
    return true;
  }
}

/** The relying party in the path, and the origin at which the request reached this server. */
export interface ScimPlace {
  readonly rp: RelyingParty;
  readonly origin: string;
}

/** A call of a directory that changes something. The links of invitations lead to the origin of the request. */
export interface DirectoryCall extends ScimPlace {
  readonly call: AuditedCall;
}

/** A call that changes an existing resource. */
export interface ResourceCall extends DirectoryCall {
  /** As in the path. */
  readonly id: string;
  /** The versions of which the resource must have one; any version by default. */
  readonly expected: ExpectedTags;
}

function placeOf({ relyingParty: rp, protocol, host }: Request): ScimPlace {
  if (!rp) throw new Error('No ScimGuard runs before this handler.');
  return { rp, origin: `${protocol}://${host}` };
}

function directoryCallOf(request: Request): DirectoryCall {
  const { auditedCall: call } = request;
  if (!call) throw new Error('The handler is not @Audited.');
  return { ...placeOf(request), call };
}

/** Requires `ScimGuard`. */
export const CurrentPlace = fromRequest(placeOf);

/** Requires `ScimGuard` and `Audited`. */
export const CurrentDirectoryCall = fromRequest(directoryCallOf);

/** Requires `ScimGuard`, `Audited` and the parameter `id` in the path. */
export const CurrentResourceCall = fromRequest((request): ResourceCall => ({
  ...directoryCallOf(request),
  id: String(request.params['id']),
  expected: expectedTags(request.headers['if-match']),
}));

/** The address of the resources of a relying party, without a slash at the end. */
export const addressOf = ({ rp, origin }: ScimPlace): string =>
  `${origin}/scim/v2/${rp.tenant}/${rp.domain}`;

/**
 * The members of the body by their names in lower case: `parseUser` and its like check them.
 *
 * @throws ApiError E0048R for another type, E0001R for JSON that is no object
 */
export const ScimBody = fromRequest(({ headers, body }) => {
  if (!JSON_TYPES.test(headers['content-type'] ?? '')) {
    throw ApiError.unsupportedType('request.contentType', MEDIA_TYPE);
  }
  if (!isObject(body)) throw new ApiError('E0001R');
  return membersOf(body);
});
