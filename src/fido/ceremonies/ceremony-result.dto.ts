import type { Type } from '@nestjs/common';
import { Equals, IsDefined, IsObject, IsOptional, IsString, ValidateNested } from 'class-validator';
import type { Code } from '../../platform/errors/catalogue.js';
import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { code, Fits } from '../../platform/validation/field-validator.js';
import { CREDENTIAL_ID } from './ceremony.answer.js';
import {
  base64UrlProblem,
  isCredentialId,
  isReportedAttachment,
  reportedAttachmentProblem,
} from './ceremony.validators.js';

/** Members that older clients omit, or send as `null`. */
export type LenientField = 'authenticatorAttachment' | 'clientExtensionResults';

/** The codes by which a result call refuses its fields. */
interface ResultCodes {
  readonly type: { readonly missing: Code; readonly notText: Code; readonly unknown: Code };
  readonly id: { readonly notText: Code; readonly malformed: Code };
  readonly response: Code;
  readonly others: Code;
}

/**
 * The body of a result call. Its codes and the authenticator's response depend on the kind of ceremony. The fields are
 * in the order of the checks, so the response cannot be a field of a subclass.
 */
export function ceremonyResultDto<Response extends object>(
  codes: ResultCodes,
  response: Type<Response>,
) {
  class CeremonyResultDto {
    @ApiProperty({ enum: ['public-key'] })
    @IsDefined(code(codes.type.missing))
    @IsString(code(codes.type.notText))
    @Equals('public-key', code(codes.type.unknown))
    type!: 'public-key';

    @ApiProperty({ description: 'credential ID in Base64URL', example: CREDENTIAL_ID })
    @IsString(code(codes.id.notText))
    @Fits(isCredentialId, base64UrlProblem, code(codes.id.malformed))
    id!: string;

    @ApiProperty({ description: 'same value as id', example: CREDENTIAL_ID })
    rawId!: string;

    @ApiProperty({ type: response })
    // The compiler does not know the class here, by which the members are checked.
    @Reflect.metadata('design:type', response)
    @ValidateNested(code(codes.response))
    response!: Response;

    @ApiPropertyOptional({
      type: String,
      nullable: true,
      example: 'platform',
      description: '`platform` or `cross-platform`; unknown words count as `null`',
    })
    @IsOptional()
    @Fits(isReportedAttachment, reportedAttachmentProblem, code(codes.others))
    authenticatorAttachment?: string | null;

    @ApiPropertyOptional({ type: 'object', additionalProperties: true, example: {} })
    @IsOptional()
    @IsObject(code(codes.others))
    clientExtensionResults?: Record<string, unknown>;

    /** Read before the body is validated. */
    @ApiPropertyOptional({
      description: '`ceremony` from the answer of the begin call; only with an application key',
    })
    ceremony?: string;
  }
  return CeremonyResultDto;
}
