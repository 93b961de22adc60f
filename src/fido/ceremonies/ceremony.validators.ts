import { IsBoolean, IsIn, IsOptional } from 'class-validator';
import { problem, type Problem, type Reason } from '../../platform/errors/reasons.js';
import { isOneOf } from '../../platform/validation/decorators.js';
import { code, FieldValidator } from '../../platform/validation/field-validator.js';
import { isSubject, subjectProblem } from '../../platform/validation/values/names.js';
import { base64UrlMistake, decodeBase64Url } from '../../webauthn/base64url.js';
import type { MemberFault, WrongMember } from '../../webauthn/failure.js';
import { APP_ID_INPUTS, isExtensions } from './extensions.js';

const MAX_CREDENTIAL_ID_BYTES = 1023;
export const REQUIREMENTS = ['preferred', 'required', 'discouraged'] as const;
export type RequestedRequirement = (typeof REQUIREMENTS)[number];
/** W3C Credential Management §2.3.2: how the browser prompts. */
export const MEDIATIONS = ['optional', 'conditional', 'required', 'silent'] as const;
export type Mediation = (typeof MEDIATIONS)[number];
/** W3C WebAuthn L3 §5.4.5 AuthenticatorAttachment. */
export const ATTACHMENTS = ['platform', 'cross-platform'] as const;
export const REQUESTED_ATTACHMENTS = [...ATTACHMENTS, 'all'] as const;
const HINTS = ['security-key', 'client-device', 'hybrid'] as const;

/** WebAuthn L3 §9.3 client extension inputs, except those that name a U2F AppID. */
export const IsExtensions = FieldValidator(
  'isExtensions',
  (value) => isExtensions(value) && appIdInput(value) === undefined,
  (field, value) => {
    const name = isExtensions(value) ? appIdInput(value) : undefined;
    return name === undefined
      ? problem('field.extensions', { field })
      : problem('field.appId', { field, name });
  },
);

const appIdInput = (inputs: object) => APP_ID_INPUTS.find((input) => Object.hasOwn(inputs, input));

/** The user's ID at the customer's own application. */
export const IsUserId = FieldValidator('isUserId', isSubject, subjectProblem);

/** W3C WebAuthn L3 §5.8.7 PublicKeyCredentialHint. */
export const IsHints = FieldValidator(
  'isHints',
  (value) =>
    Array.isArray(value) && value.length <= 3 && value.every((item) => isOneOf(HINTS, item)),
  (field) => problem('field.hints', { field, words: HINTS.join(', ') }),
);

/** The problem of a value that should be Base64URL; `undefined` unless the mistake is a usual one. */
export function base64UrlProblem(field: string, value: unknown): Problem | undefined {
  const fault = base64UrlMistake(value);
  return fault && memberProblem({ field, fault });
}

const MEMBER_REASONS = {
  padded: 'base64url.padded',
  plain: 'base64url.plain',
  missing: 'field.missing',
  base64url: 'field.base64url',
  json: 'field.json',
  text: 'field.text',
  flag: 'field.flag',
} as const satisfies Record<MemberFault, Reason>;

/** What is wrong with a member of a response. */
export const memberProblem = ({ field, fault }: WrongMember): Problem =>
  problem(MEMBER_REASONS[fault], { field });

/** Whether a fault has a reason of its own, in place of its code's. */
export const isUsualMistake = (member: WrongMember | undefined): boolean =>
  member?.fault === 'padded' || member?.fault === 'plain';

/** `id`: 1 to 1023 bytes in Base64URL, equal to `rawId`. */
export function isCredentialId(value: unknown, body: object): boolean {
  const bytes = typeof value === 'string' ? decodeBase64Url(value) : undefined;
  if (!bytes || bytes.length > MAX_CREDENTIAL_ID_BYTES) return false;
  return 'rawId' in body && body.rawId === value;
}

/** The attachment in a response. Unknown words count as `null`, as W3C WebAuthn L3 §5.1 demands: nothing depends on it. */
export const isReportedAttachment = (value: unknown): boolean =>
  typeof value === 'string' && value !== '';

export const reportedAttachmentProblem = (field: string): Problem =>
  problem('field.oneOf', { field, words: ATTACHMENTS.join(', ') });

/** W3C WebAuthn L3 §5.4.4 AuthenticatorSelectionCriteria; unknown members may have any value. */
export class AuthenticatorSelectionDto {
  @IsOptional()
  @IsBoolean(code('E0001R'))
  requireResidentKey?: boolean;

  @IsOptional()
  @IsIn(REQUIREMENTS, code('E0001R'))
  residentKey?: RequestedRequirement;

  @IsOptional()
  @IsIn(REQUIREMENTS, code('E0001R'))
  userVerification?: RequestedRequirement;

  @IsOptional()
  @IsIn(REQUESTED_ATTACHMENTS, code('E0001R'))
  authenticatorAttachment?: (typeof REQUESTED_ATTACHMENTS)[number];
}
