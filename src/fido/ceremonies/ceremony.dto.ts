import { IsBoolean, IsIn, IsOptional } from 'class-validator';
import { code } from '../../platform/validation/rule.js';
import { REQUESTED_ATTACHMENTS } from '../registration/registration.rules.js';
import { REQUIREMENTS } from './ceremony.rules.js';
import type { RequestedRequirement } from './ceremony.rules.js';

/** W3C WebAuthn L3 §5.4.4 AuthenticatorSelectionCriteria; members that we do not know may have any value. */
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

/** Members that older clients leave out, or send as `null`. */
export type LenientField = 'authenticatorAttachment' | 'clientExtensionResults';
