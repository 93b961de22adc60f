import { problem } from '../../platform/errors/reasons.js';
import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { IsReason, MAX_REASON, MayBeEmpty, Reads } from '../../platform/validation/decorators.js';
import { FieldValidator, code } from '../../platform/validation/field-validator.js';
import { decodeBase64Url } from '../../webauthn/base64url.js';
import { AaguidDto } from '../whitelist/aaguid.dto.js';

const ID_BYTES = 16;

const IsId = FieldValidator(
  'isId',
  (value) => Buffer.isBuffer(value) && value.length === ID_BYTES,
  () => problem('model.noJob'),
);

/** The ID of a job: Base64URL of 16 bytes. */
const JobId = (): PropertyDecorator => (prototype, key) => {
  Reads((text) => decodeBase64Url(text))(prototype, key);
  IsId(code('E0044R'))(prototype, key);
};

export class ModelJobParameters extends AaguidDto {
  @ApiProperty({ type: String, example: 'AZrlG0R3cAOAfJ0WQ2x9Sg' })
  @JobId()
  job!: Buffer;
}

export class ModelJobForm {
  @JobId()
  job!: Buffer;
}

/** Body of POST /userapi/aaguid/:aaguid/jobs, and its form. */
export class DisableModelDto {
  @ApiPropertyOptional({ example: 'lost in the mail', maxLength: MAX_REASON })
  @MayBeEmpty()
  @IsReason()
  reason?: string;
}
