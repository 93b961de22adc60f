import { CATALOGUE, type Code } from '../../errors/catalogue.js';
import type { Reason } from '../../errors/reasons.js';
import { ApiProperty, ApiPropertyOptional } from './openapi.js';

const CODES = Object.keys(CATALOGUE) as Code[];

/** Members that every refusal has. Only the error filter writes refusals. */
export class RefusalBody {
  @ApiProperty({ description: 'message for the caller: one sentence, never empty', minLength: 1 })
  readonly errorMessage!: string;

  @ApiProperty({
    type: String,
    description:
      'cause of the refusal, as a stable key for programs (docs/errors.md); use `errorCode` ' +
      'for an unknown one',
    example: 'relyingParty.unknown',
  })
  readonly reason!: Reason;

  @ApiProperty({
    description: 'ID of the request, as in logs, events and the header X-Request-Id',
    example: 'b3sQ9cWv-1f',
  })
  readonly requestId!: string;
}

/** A refusal with a code of the catalogue (docs/errors.md). */
export class RefusalAnswer extends RefusalBody {
  @ApiProperty({ enum: ['failed'] })
  readonly status!: 'failed';

  @ApiProperty({ enum: CODES, description: 'error code; docs/errors.md explains each one' })
  readonly errorCode!: Code;
}

/** E0025R, which lists the existing relying parties (unless `--list-domains off`). */
export class UnknownRelyingPartyAnswer extends RefusalBody {
  @ApiProperty({ enum: ['failed'] })
  readonly status!: 'failed';

  @ApiProperty({ enum: ['E0025R'] })
  readonly errorCode!: 'E0025R';

  @ApiPropertyOptional({
    type: [String],
    example: ['localhost'],
    description: 'domains of the existing relying parties, sorted',
  })
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
