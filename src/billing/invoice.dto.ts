import { ApiProperty, ApiPropertyOptional } from '../http/openapi.js';
import {
  EmptyIsAbsent,
  IsOneOf,
  IsWholeNumber,
  Reads,
  ReadsNumber,
} from '../validation/decorators.js';
import { Rule, code, optional } from '../validation/field.js';
import type { Coded } from '../validation/field.js';
import { parseDate } from './calendar.js';

const IsDay = (options: Coded): PropertyDecorator =>
  Rule('isDay', options, Number.isInteger, 'must be one day, written YYYY-MM-DD');

/** The form of the page that stores an invoice. */
export class IssueInvoiceDto {
  /** The day, counted from 1970. */
  @ApiPropertyOptional({ type: String, description: 'YYYY-MM-DD, UTC; today when absent' })
  @EmptyIsAbsent()
  @Reads(parseDate)
  @IsDay(optional(code('E0045R')))
  date?: number;
}

/** Parameters of `invoice`, of a query or of a JSON body. */
export class InvoiceDto extends IssueInvoiceDto {
  /** Any other word is a mistake, be it `Yes`: nobody should have to guess whether it was stored. */
  @ApiPropertyOptional({ enum: ['yes', 'no'] })
  @EmptyIsAbsent()
  @IsOneOf(['yes', 'no'], code('E0045R'))
  invoicelog: 'yes' | 'no' = 'no';
}

/** The number of a stored invoice, in an address. */
export class InvoiceNumberDto {
  @ApiProperty({ example: 1 })
  @ReadsNumber()
  @IsWholeNumber({ min: 1, max: Number.MAX_SAFE_INTEGER }, code('E0045R'))
  number!: number;
}

/** Parameters of GET /userapi/invoices. */
export class InvoiceListQuery {
  @ApiPropertyOptional({ description: 'lists numbers below this one' })
  @ReadsNumber()
  @IsWholeNumber({ min: 1, max: Number.MAX_SAFE_INTEGER }, optional(code('E0045R')))
  before?: number;
}
