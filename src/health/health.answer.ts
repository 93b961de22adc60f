import { REGISTRATION_MODES } from '../platform/config/registration-modes.js';
import { OkAnswer } from '../platform/http/ok.js';
import { ApiProperty, ApiPropertyOptional } from '../platform/http/openapi/openapi.js';
import { RefusalAnswer } from '../platform/http/openapi/refusal.answer.js';

export class LiveAnswer {
  @ApiProperty({ enum: ['ok'] })
  readonly status!: 'ok';
}

/** The result of each check, by name; some have more members than `status`. */
const CHECKS = {
  type: 'object' as const,
  additionalProperties: {
    type: 'object',
    required: ['status'],
    properties: { status: { type: 'string', enum: ['up', 'down'] } },
    additionalProperties: true,
  },
};

const PASSED = {
  database: { status: 'up' },
  sessions: { status: 'up' },
  process: { status: 'up' },
};

/** Answer of GET /health/ready, with the members that Nest's health checks usually have. */
export class ReadyAnswer extends LiveAnswer {
  @ApiPropertyOptional({ ...CHECKS, description: 'checks that passed', example: PASSED })
  readonly info?: object | undefined;

  @ApiPropertyOptional({ ...CHECKS, description: 'checks that failed', example: {} })
  readonly error?: object | undefined;

  @ApiProperty({ ...CHECKS, description: 'all checks', example: PASSED })
  readonly details!: object;
}

const FAILED = { details: { database: { status: 'down' } } };

/** E0052R of GET /health/ready. */
export class NotReadyAnswer extends RefusalAnswer {
  static readonly example = FAILED;

  @ApiProperty({ ...CHECKS, description: 'all checks', example: FAILED.details })
  readonly details!: object;
}

class Features {
  @ApiProperty({ description: 'whether user verification is always required' })
  readonly verify!: boolean;

  @ApiProperty({ description: 'whether attestation statements are verified' })
  readonly attestation!: boolean;

  @ApiProperty({ description: 'whether the AAGUID whitelist is enforced' })
  readonly aaguid!: boolean;

  @ApiProperty({ description: 'whether a sign-in returns a token' })
  readonly jwt!: boolean;

  @ApiProperty({ enum: REGISTRATION_MODES, description: 'who may register keys' })
  readonly registration!: string;

  @ApiProperty({ type: 'integer', example: 60, description: 'lifetime of a ceremony in seconds' })
  readonly session!: number;

  @ApiProperty({ description: 'whether FIDO metadata is used' })
  readonly mds!: boolean;
}

export class TestAnswer extends OkAnswer {
  @ApiPropertyOptional({
    type: String,
    example: '1.0.0',
    description: 'version of the server; absent, like `features`, if the `Origin` is not listed',
  })
  readonly version?: string | undefined;

  @ApiPropertyOptional({ type: Features })
  readonly features?: Features | undefined;

  @ApiPropertyOptional({
    type: Boolean,
    description:
      'whether the relying party lists the `Origin`, so that its pages may call; only with an ' +
      '`Origin`',
  })
  readonly originListed?: boolean | undefined;
}

/** Answer of GET /fidoapi/testdb. */
export class TestDatabaseAnswer extends OkAnswer {
  @ApiProperty({ enum: ['sqlite', 'mysql'] })
  readonly database!: string;

  @ApiProperty({
    type: 'number',
    minimum: 0,
    example: 0.42,
    description: 'latency of the database in milliseconds',
  })
  readonly latencyMs!: number;
}
