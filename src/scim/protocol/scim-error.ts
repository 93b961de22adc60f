import { ApiError } from '../../platform/errors/api-error.js';
import type { Problem } from '../../platform/errors/reasons.js';

const SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** The values of `scimType` (RFC 7644 §3.12) that are used, with their HTTP status. */
const STATUS = {
  invalidFilter: 400,
  invalidPath: 400,
  invalidSyntax: 400,
  invalidValue: 400,
  tooMany: 400,
  uniqueness: 409,
} as const;

type ScimType = keyof typeof STATUS;

/** The E0045R of a problem, with the `scimType` by which clients tell it from others. */
export const scimError = (scimType: ScimType, problem: Problem): ApiError =>
  ApiError.of('E0045R', problem, { status: STATUS[scimType], body: { scimType } });

/** The body of an error (RFC 7644 §3.12); `detail` ends with our code and reason. */
export function errorBody({ code, status, message, problem, body }: ApiError): object {
  const scimType = code === 'E0001R' ? 'invalidSyntax' : body['scimType'];
  return {
    schemas: [SCHEMA],
    status: String(status),
    ...(scimType !== undefined && { scimType }),
    detail: `${message} (${code ?? 'no code'} ${problem.reason})`,
  };
}
