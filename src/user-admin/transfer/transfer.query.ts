import { IsIn, IsString, ValidateIf } from 'class-validator';
import { ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { EmptyIsAbsent } from '../../platform/validation/decorators.js';
import { code, isPresent } from '../../platform/validation/rule.js';
import { FORMAT_NAMES } from './formats/registry.js';
import type { FormatName } from './formats/registry.js';

/** Parameters of GET /userapi/export and GET /userapi/import. */
export class TransferQuery {
  @ApiPropertyOptional({
    example: 'example.com',
    description: 'domain of the relying party; without it the one that the header names',
  })
  @EmptyIsAbsent()
  @ValidateIf(isPresent)
  @IsString(code('E0045R'))
  relyingParty?: string;
}

const YES_NO = ['yes', 'no'] as const;

/** Parameters of POST /userapi/import. */
export class ImportQuery extends TransferQuery {
  @ApiPropertyOptional({
    enum: FORMAT_NAMES,
    default: 'servicefido',
    description: 'which kind of server the file comes from',
  })
  @EmptyIsAbsent()
  @IsIn(FORMAT_NAMES, code('E0045R'))
  format: FormatName = 'servicefido';

  @ApiPropertyOptional({
    enum: YES_NO,
    default: 'no',
    description: '`yes` only checks the file and says what would be stored',
  })
  @EmptyIsAbsent()
  @IsIn(YES_NO, code('E0045R'))
  dryRun: (typeof YES_NO)[number] = 'no';

  @ApiPropertyOptional({
    enum: YES_NO,
    default: 'no',
    description:
      '`yes`: user verification counts for keys of which the file does not say it, since the former ' +
      'server registered all of them with user verification',
  })
  @EmptyIsAbsent()
  @IsIn(YES_NO, code('E0045R'))
  assumeVerified: (typeof YES_NO)[number] = 'no';
}
