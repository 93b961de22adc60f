import { ApiProperty, ApiPropertyOptional } from '../http/openapi.js';
import {
  EmptyIsAbsent,
  IsDisplayName,
  IsOneOf,
  MayBeText,
  Reads,
} from '../validation/decorators.js';
import { Rule, code, isObject, optional } from '../validation/field.js';
import type { Coded } from '../validation/field.js';
import { parseDate } from './calendar.js';
import { parseNumber } from './stored-number.js';
import type { StoredNumber } from './stored-number.js';

const IsDay = (options: Coded): PropertyDecorator =>
  Rule('isDay', options, Number.isInteger, 'must be one day, written YYYY-MM-DD');

const IsStoredNumber = (options: Coded): PropertyDecorator =>
  Rule('isStoredNumber', options, isObject, 'must be a number such as 12, or S-12 of a statement');

/** The form of the page that stores an invoice. */
export class IssueInvoiceDto {
  /** The day, in days since 1970. */
  @ApiPropertyOptional({ type: String, description: 'YYYY-MM-DD, UTC; today when absent' })
  @EmptyIsAbsent()
  @Reads(parseDate)
  @IsDay(optional(code('E0045R')))
  date?: number;

  @ApiPropertyOptional({ description: 'one tenant alone' })
  @MayBeText(code('E0045R'))
  tenant?: string;
}

/** Parameters of `invoice`, of a query or of a JSON body. */
export class InvoiceDto extends IssueInvoiceDto {
  /** Any other word, such as `Yes`, is refused: nobody should have to guess whether it was stored. */
  @ApiPropertyOptional({ enum: ['yes', 'no'] })
  @EmptyIsAbsent()
  @IsOneOf(['yes', 'no'], code('E0045R'))
  invoicelog: 'yes' | 'no' = 'no';
}

/** The number of a stored invoice, in an address. */
export class InvoiceNumberDto {
  @ApiProperty({ type: String, example: '1' })
  @Reads(parseNumber)
  @IsStoredNumber(code('E0045R'))
  number!: StoredNumber;
}

/** Body of POST /userapi/invoices/:number/cancel, and of the page's form. */
export class CancelInvoiceDto {
  @ApiProperty({ example: 'Charged to the wrong cost centre', description: 'on the credit note' })
  @IsDisplayName(code('E0045R'))
  reason!: string;
}

/** Parameters of GET /userapi/invoices. */
export class InvoiceListQuery {
  @ApiPropertyOptional({ type: String, description: 'lists what was stored before this number' })
  @Reads(parseNumber)
  @IsStoredNumber(optional(code('E0045R')))
  before?: StoredNumber;
}
