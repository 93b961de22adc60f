import { CATALOGUE, type Code } from '../../errors/catalogue.js';
import type { Reason } from '../../errors/reasons.js';
import { ApiProperty, ApiPropertyOptional } from './openapi.js';

const CODES = Object.keys(CATALOGUE) as Code[];

/** Members that every refusal has. Only the error filter writes refusals. */
export class RefusalBody {
  @ApiProperty({ description: 'one sentence for the caller, never empty', minLength: 1 })
  readonly errorMessage!: string;

  @ApiProperty({
    type: String,
    description:
      'why, as a key that programs can rely on (docs/errors.md); a program that meets an unknown one goes by `errorCode`',
    example: 'relyingParty.unknown',
  })
  readonly reason!: Reason;

  @ApiProperty({
    description: 'names the call in logs and events, and in the header X-Request-Id',
    example: 'b3sQ9cWv-1f',
  })
  readonly requestId!: string;
}

/** A refusal with a code of the catalogue (docs/errors.md). */
export class RefusalAnswer extends RefusalBody {
  @ApiProperty({ enum: ['failed'] })
  readonly status!: 'failed';

  @ApiProperty({ enum: CODES, description: 'docs/errors.md says what each means' })
  readonly errorCode!: Code;
}

/** E0025R, which lists the existing relying parties (unless `--list-domains off`). */
export class UnknownRelyingPartyAnswer extends RefusalBody {
  @ApiProperty({ enum: ['failed'] })
  readonly status!: 'failed';

  @ApiProperty({ enum: ['E0025R'] })
  readonly errorCode!: 'E0025R';

  @ApiPropertyOptional({ type: [String], example: ['localhost'], description: 'sorted' })
  readonly domains?: readonly string[];
}

/** E0024R, for which the interface requires `false` as the value of `status`. */
export class SessionExpiredAnswer extends RefusalBody {
  @ApiProperty({ type: Boolean, enum: [false] })
  readonly status!: false;

  @ApiProperty({ enum: ['E0024R'] })
  readonly errorCode!: 'E0024R';
}

/** The interface's 403 without a code: no key of this user can sign in here. */
export class NoAccountAnswer extends RefusalBody {
  @ApiProperty({ enum: ['failed'] })
  readonly status!: 'failed';
}
