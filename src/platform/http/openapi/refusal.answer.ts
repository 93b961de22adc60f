import type { Type } from '@nestjs/common';
import type * as Swagger from '@nestjs/swagger';
import { CATALOGUE, type Code } from '../../errors/catalogue.js';
import { type Reason, sentenceOf } from '../../errors/reasons.js';
import type { Refusal } from '../../errors/api-error.js';
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
    example: 'K7QF-2M9X-HD3R',
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
class UnknownRelyingPartyAnswer extends RefusalBody {
  static readonly example = { domains: ['localhost'] };

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

/** E0045R of a call that reads forward. */
export class CursorRefusedAnswer extends RefusalBody {
  @ApiProperty({ enum: ['failed'] })
  readonly status!: 'failed';

  @ApiProperty({ enum: ['E0045R'] })
  readonly errorCode!: 'E0045R';

  @ApiPropertyOptional({
    description: 'value of `after` with which to continue; only with the reason `cursor.epoch`',
  })
  readonly next?: string;
}

/** E0024R, for which the interface requires `false` as the value of `status`. */
class SessionExpiredAnswer extends RefusalBody {
  @ApiProperty({ type: Boolean, enum: [false] })
  readonly status!: false;

  @ApiProperty({ enum: ['E0024R'] })
  readonly errorCode!: 'E0024R';
}

/** The interface's 403 without a code: no key of this user can sign in here. */
class NoAccountAnswer extends RefusalBody {
  @ApiProperty({ enum: ['failed'] })
  readonly status!: 'failed';
}

/** The class of a refusal; `example` has the members beyond those of every refusal. */
type RefusalClass = Type & { readonly example?: object };

export type RefusalBodies = Readonly<Partial<Record<Refusal, RefusalClass>>>;

const BODIES: RefusalBodies = {
  'no-account': NoAccountAnswer,
  E0024R: SessionExpiredAnswer,
  E0025R: UnknownRelyingPartyAnswer,
};

const NO_ACCOUNT = [403, 'user.noUsableKey'] as const;

const lineOf = (refusal: Refusal) => (refusal === 'no-account' ? NO_ACCOUNT : CATALOGUE[refusal]);

const sentenceFor = (refusal: Refusal) => sentenceOf({ reason: lineOf(refusal)[1], values: {} });

/** The responses for an operation's refusals: one for each status, with an example of each code. */
export function refusalResponses(
  swagger: typeof Swagger,
  refusals: readonly Refusal[],
  own: { readonly bodies?: RefusalBodies | undefined; readonly headers: object },
): MethodDecorator[] {
  const bodies = { ...BODIES, ...own.bodies };
  const each = [...new Set(refusals)].sort();
  const statuses = [...new Set(each.map((refusal) => lineOf(refusal)[0]))];
  const models = [RefusalAnswer, ...Object.values(bodies)];
  return [
    swagger.ApiExtraModels(...models) as MethodDecorator,
    ...statuses.map((status) => {
      const here = each.filter((refusal) => lineOf(refusal)[0] === status);
      return swagger.ApiResponse({
        status,
        headers: { ...own.headers },
        ...responseOf(swagger, here, bodies),
      });
    }),
  ];
}

/** Describes the response for refusals that share one HTTP status. */
export const responseOf = (
  swagger: typeof Swagger,
  refusals: readonly Refusal[],
  bodies: RefusalBodies = BODIES,
) => ({
  description: refusals.map((refusal) => `${refusal}: ${sentenceFor(refusal)}`).join('\n\n'),
  content: { 'application/json': contentOf(swagger, refusals, bodies) },
});

function contentOf(swagger: typeof Swagger, refusals: readonly Refusal[], bodies: RefusalBodies) {
  const usual = refusals.filter((refusal) => bodies[refusal] === undefined);
  const schemas = [
    ...(usual.length === 0 ? [] : [narrowed(swagger.getSchemaPath(RefusalAnswer), usual)]),
    ...refusals.flatMap((refusal) => {
      const body = bodies[refusal];
      if (!body) return [];
      const $ref = swagger.getSchemaPath(body);
      return [refusal === 'no-account' ? { $ref } : narrowed($ref, [refusal])];
    }),
  ];
  const [one, ...others] = schemas;
  return {
    // A body may match several, since later versions may add members: not `oneOf`.
    schema: one && others.length === 0 ? one : { anyOf: schemas },
    examples: Object.fromEntries(
      refusals.map((refusal) => [refusal, exampleIn(refusal, bodies[refusal])]),
    ),
  };
}

const exampleIn = (refusal: Refusal, body: RefusalClass | undefined) =>
  body === BODIES[refusal]
    ? { $ref: `#/components/examples/${refusal}` }
    : exampleOf(refusal, body);

const narrowed = ($ref: string, codes: readonly Refusal[]) => ({
  allOf: [{ $ref }, { properties: { errorCode: { type: 'string' as const, enum: [...codes] } } }],
});

/** An example of each possible refusal, for the document's components. */
export const refusalExamples = () =>
  Object.fromEntries(
    (['no-account', ...Object.keys(CATALOGUE)] as Refusal[]).map((refusal) => [
      refusal,
      exampleOf(refusal, BODIES[refusal]),
    ]),
  );

function exampleOf(refusal: Refusal, body: RefusalClass | undefined) {
  const [, reason] = lineOf(refusal);
  const errorMessage = sentenceFor(refusal);
  const value = {
    status: refusal === 'E0024R' ? false : 'failed',
    ...(refusal === 'no-account' ? {} : { errorCode: refusal }),
    errorMessage,
    reason,
    requestId: 'K7QF-2M9X-HD3R',
    ...body?.example,
  };
  return { summary: errorMessage, value };
}
