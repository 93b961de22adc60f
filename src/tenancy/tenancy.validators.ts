import { applyDecorators } from '@nestjs/common';
import { ValidateIf } from 'class-validator';
import { ApiPropertyOptional } from '../platform/http/openapi/openapi.js';
import { problem } from '../platform/errors/reasons.js';
import { isDomain, isOrigin, webAddress } from '../platform/validation/values/domain.js';
import { FieldValidator, isPresent } from '../platform/validation/field-validator.js';
import { MayBeText, isListOf } from '../platform/validation/decorators.js';
import { ApiError } from '../platform/errors/api-error.js';
import { originAllowed } from '../webauthn/origin.js';

export const MAX_ORIGINS = 100;

/** Whether the value is the domain of a relying party: its RP ID. */
export const isDomainText = (value: unknown): boolean =>
  typeof value === 'string' && isDomain(value);

/** The domain whose users a relying party takes over, or `null`. */
export const IsPredecessor = FieldValidator(
  'isPredecessor',
  (value) => value === null || isDomainText(value),
  (field) => problem('field.predecessor', { field }),
);

const MAX_DOMAINS = 100;

const IsDomains = FieldValidator(
  'isDomains',
  (value) => isListOf(value, isDomainText, { min: 1, max: MAX_DOMAINS, unique: true }),
  (field) => problem('field.domains', { field, most: MAX_DOMAINS }),
);

/** A list of at least `min` origins of a relying party. */
export const IsOrigins = (min = 1): PropertyDecorator =>
  FieldValidator(
    'isOrigins',
    (value) => isListOf(value, isOrigin, { min, max: MAX_ORIGINS }),
    (field) => problem('field.origins', { field, most: MAX_ORIGINS }),
  )();

const MAX_URL = 500;
const COLOUR = /^#[0-9a-f]{6}$/i;
/** An address without a fragment, since the fragment carries the code of an invitation. */
const HTTPS_ADDRESS = /^https:\/\/[\x21\x22\x24-\x7e]+$/i;

const isEnrolmentUrl = (value: unknown): boolean =>
  webAddress(value, MAX_URL) !== undefined && HTTPS_ADDRESS.test(String(value));

/** The address of a relying party's own page for invitations, or `null`. */
export const IsEnrolmentUrl = FieldValidator(
  'isEnrolmentUrl',
  (value) => value === null || isEnrolmentUrl(value),
  (field) => problem('field.enrolmentUrl', { field, most: MAX_URL }),
);

/** The colour of pages, or `null`. */
export const IsColour = FieldValidator(
  'isColour',
  (value) => value === null || (typeof value === 'string' && COLOUR.test(value)),
  (field) => problem('field.colour', { field }),
);

/**
 * Refuses a page for invitations on another origin: a link with an invitation's code may lead only to
 * pages that may register keys anyway.
 *
 * @throws ApiError E0045R
 */
export function ensureOnOrigin(enrolmentUrl: string | null, origins: readonly string[]): void {
  if (enrolmentUrl === null || originAllowed(new URL(enrolmentUrl).origin, origins)) return;
  throw new ApiError('E0045R', 'enrolmentUrl.otherOrigin', {}, { field: 'enrolmentUrl' });
}

/** A field that may name relying parties of a tenant. */
export const MayNameRelyingParties = (): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      type: [String],
      example: ['localhost'],
      description:
        'domains of the relying parties; by default all of the tenant, including future ones',
    }),
    ValidateIf(isPresent),
    IsDomains(),
  );

/** A field of a change that may name relying parties of a tenant, or be `null` for all. */
export const MayChangeRelyingParties = (): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      type: [String],
      nullable: true,
      example: ['localhost'],
      description:
        'domains of the relying parties; `null`: all of the tenant, including future ones',
    }),
    ValidateIf((_, value) => value !== undefined && value !== null),
    IsDomains(),
  );

/** A field that may name the relying party of a call; see `CallParties.named`. */
export const MayNameRelyingParty = (): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      example: 'localhost',
      description: 'domain of the relying party; by default the one in the header',
    }),
    MayBeText(),
  );
