import { ApiProperty, ApiPropertyOptional } from '../../http/openapi.js';
import type { Judge } from '../../validation/field.js';
import { Field } from '../../validation/field.js';
import { NAME_RULE, isName } from '../../validation/names.js';
import { isAaguidText } from '../../webauthn/aaguid.js';

export const aaguidRule: Judge = (value) =>
  isAaguidText(value)
    ? undefined
    : ['E0045R', '"aaguid" must be an AAGUID written as a hyphenated UUID.'];

/** Forms send an empty text for what was left empty. */
const nameRule: Judge = (value) =>
  value === undefined || value === '' || isName(value)
    ? undefined
    : ['E0045R', `"name" ${NAME_RULE}.`];

/** Body of POST /userapi/aaguid. */
export class AddAaguidDto {
  @ApiProperty({ example: 'ee882879-721c-4913-9775-3dfcce97072a' })
  @Field(aaguidRule)
  aaguid!: string;

  @ApiPropertyOptional({ example: 'YubiKey 5', description: 'else the name by metadata' })
  @Field(nameRule)
  name?: string;
}

/** Body of the page's form that takes a model off the list. */
export class RemoveAaguidDto {
  @Field(aaguidRule)
  aaguid!: string;
}
