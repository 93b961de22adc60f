import { applyDecorators } from '@nestjs/common';
import { ValidateIf } from 'class-validator';
import { problem } from '../platform/errors/reasons.js';
import {
  FieldValidator,
  isObject,
  isPresent,
  parsedJson,
} from '../platform/validation/field-validator.js';

/** Longer values are none of Entra's; together they fit into a body. */
const MAX_VALUE = 16 * 1024;

const IsParameter = FieldValidator(
  'isParameter',
  (value) => typeof value === 'string' && value.length <= MAX_VALUE && value.isWellFormed(),
  (field) => problem('field.once', { field }),
);

/** A parameter that is sent at most once (RFC 6749 §3.1). */
const MayBeParameter = () => applyDecorators(ValidateIf(isPresent), IsParameter());

/** The parameters that Entra ID sends; others are ignored (OpenID Connect Core 1.0 §3.2.2.1). */
export class AuthorizationDto {
  @MayBeParameter()
  client_id?: string;

  @MayBeParameter()
  redirect_uri?: string;

  @MayBeParameter()
  scope?: string;

  @MayBeParameter()
  response_type?: string;

  @MayBeParameter()
  response_mode?: string;

  @MayBeParameter()
  nonce?: string;

  @MayBeParameter()
  state?: string;

  @MayBeParameter()
  claims?: string;

  @MayBeParameter()
  id_token_hint?: string;
}

/** The classes that a key satisfies as a second factor, the preferred one first: possession alone is enough for each. */
export const ENTRA_ACRS = [
  'possessionorinherence',
  'possession',
  'knowledgeorpossession',
  'knowledgeorpossessionorinherence',
];

/** The method of a sign-in here (RFC 8176 has no word for it; Entra's list has). */
export const AMR = 'fido';

/** @returns the request, or the name of the first parameter that this server cannot satisfy */
export function readRequest(dto: AuthorizationDto) {
  const { scope = '', nonce = '', id_token_hint: hint = '' } = dto;
  if (!scope.split(' ').includes('openid')) return 'scope';
  if (dto.response_type !== 'id_token') return 'response_type';
  if (dto.response_mode !== 'form_post') return 'response_mode';
  if (nonce === '') return 'nonce';
  if (hint === '') return 'id_token_hint';
  const acr = requestedOf(dto.claims, 'acr');
  const amr = requestedOf(dto.claims, 'amr');
  const chosen = ENTRA_ACRS.find((one) => !acr || acr.includes(one));
  if (chosen === undefined || (amr && !amr.includes(AMR))) return 'claims';
  return { hint, nonce, acr: chosen };
}

/** The requested values of a claim of the ID token (OpenID Connect Core 1.0 §5.5.1); `undefined` for any. */
function requestedOf(claims: string | undefined, name: string): readonly unknown[] | undefined {
  const wanted = parsedJson(claims ?? '{}');
  const idToken = isObject(wanted) ? wanted['id_token'] : undefined;
  const claim = isObject(idToken) ? idToken[name] : undefined;
  if (!isObject(claim)) return undefined;
  const { value, values } = claim;
  if (Array.isArray(values)) return values;
  return value === undefined ? undefined : [value];
}
