import { ValidateIf } from 'class-validator';
import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import {
  IsOneText,
  IsWithin,
  MayBeText,
  Reads,
  ReadsNumber,
} from '../../platform/validation/decorators.js';
import { OkAnswer } from '../../platform/http/ok.js';
import { VERSION } from '../../platform/http/versions.js';
import { IsDay, startOfDay } from '../../platform/validation/values/moment.js';

const hasShare = ({ share }: { readonly share?: unknown }): boolean => share !== undefined;

const SHARE = { type: 'integer', minimum: 1, maximum: 100, example: 80 } as const;
const MOST_USERS = 1_000_000_000;
const EXPECTED_USERS = { type: 'integer', minimum: 1, maximum: MOST_USERS, example: 300 } as const;
const DAY_SCHEMA = { type: String, format: 'date', example: '2027-06-30' } as const;

export class ChangeTargetDto {
  @ApiProperty({
    ...SHARE,
    nullable: true,
    description: 'percentage of users who should have a key; `null` removes the target',
  })
  @ValidateIf(({ share }: ChangeTargetDto) => share !== null)
  @IsWithin(1, 100)
  share!: number | null;

  /** Milliseconds since 1970. */
  @ApiPropertyOptional({
    ...DAY_SCHEMA,
    description: 'day by which the target should be reached, today or later; required with a share',
  })
  @ValidateIf(({ share }: ChangeTargetDto) => share !== null)
  @Reads(startOfDay)
  @IsDay()
  by?: number;

  @ApiPropertyOptional({
    ...EXPECTED_USERS,
    nullable: true,
    description:
      'how many users the relying party will have; `null`: shares are of its stored users; ' +
      'absent: as before',
  })
  @ValidateIf(({ expectedUsers }: ChangeTargetDto) => expectedUsers != null)
  @IsWithin(1, MOST_USERS)
  expectedUsers?: number | null;
}

export class TargetOfParty {
  @ApiProperty({ example: 'localhost' })
  readonly relyingParty!: string;

  @ApiProperty({
    ...SHARE,
    nullable: true,
    description: 'percentage of users who should have a key',
  })
  readonly share!: number | null;

  @ApiProperty({
    ...DAY_SCHEMA,
    nullable: true,
    description: 'day by which the target should be reached',
  })
  readonly by!: string | null;

  @ApiProperty({
    ...EXPECTED_USERS,
    nullable: true,
    description:
      'how many users the relying party will have; `null`: shares are of its stored users',
  })
  readonly expectedUsers!: number | null;

  @ApiProperty(VERSION)
  readonly version!: number;
}

/** Answer of PATCH /userapi/adoption/targets/DOMAIN. */
export class TargetAnswer extends OkAnswer {
  @ApiProperty({ type: TargetOfParty })
  readonly target!: TargetOfParty;
}

export class TargetsAnswer extends OkAnswer {
  @ApiProperty({
    type: [TargetOfParty],
    description: 'targets of all relying parties, sorted by domain',
  })
  readonly targets!: readonly TargetOfParty[];
}

/** The form of a target; without a share it removes the target. */
export class TargetForm {
  @IsOneText()
  rp!: string;

  @MayBeText()
  version?: string;

  @ValidateIf(hasShare)
  @ReadsNumber()
  @IsWithin(1, 100)
  share?: number;

  /** Milliseconds since 1970. */
  @ValidateIf(hasShare)
  @Reads(startOfDay)
  @IsDay()
  by?: number;

  @ValidateIf((form: TargetForm) => hasShare(form) && form.expectedUsers !== undefined)
  @ReadsNumber()
  @IsWithin(1, MOST_USERS)
  expectedUsers?: number;
}
