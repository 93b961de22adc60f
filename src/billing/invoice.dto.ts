import { IsIn, Matches, ValidateIf } from 'class-validator';
import { problem } from '../platform/errors/reasons.js';
import { ApiProperty, ApiPropertyOptional } from '../platform/http/openapi/openapi.js';
import {
  ReadsEmptyAsAbsent,
  IsDisplayName,
  MayBeEmpty,
  MayBeText,
  Reads,
} from '../platform/validation/decorators.js';
import {
  FieldValidator,
  code,
  isObject,
  isPresent,
} from '../platform/validation/field-validator.js';
import { parseDate } from './usage/calendar.js';
import { DOCUMENT_KINDS, type DocumentKind } from './invoices/invoice.entity.js';
import { parseNumber, type DocumentNumber } from './invoices/document-series.js';

const IsDay = FieldValidator('isDay', Number.isInteger, (field) =>
  problem('field.oneDay', { field }),
);

const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;

const IsStoredNumber = FieldValidator('isStoredNumber', isObject, (field) =>
  problem('field.storedNumber', { field }),
);

/** The form of the page that stores an invoice. */
export class IssueInvoiceDto {
  /** Days since 1970. */
  @ApiPropertyOptional({
    type: String,
    description: 'last day of the invoice (UTC), YYYY-MM-DD; by default today',
  })
  @MayBeEmpty()
  @Reads(parseDate)
  @IsDay()
  date?: number;

  @ApiPropertyOptional({ description: 'tenant to invoice; by default all tenants' })
  @MayBeText()
  tenant?: string;
}

/** Parameters of `invoice`, from a query or a JSON body. */
export class InvoiceDto extends IssueInvoiceDto {
  /** Any other word, for example `Yes`, is refused, so that the caller knows whether the invoice was stored. */
  @ApiPropertyOptional({ enum: ['yes', 'no'] })
  @ReadsEmptyAsAbsent()
  @IsIn(['yes', 'no'])
  invoicelog: 'yes' | 'no' = 'no';
}

export class InvoiceNumberDto {
  @ApiProperty({ type: String, example: '1' })
  @Reads(parseNumber)
  @IsStoredNumber()
  number!: DocumentNumber;
}

/** Body of POST /userapi/invoices/:number/cancel, and of the page's form. */
export class CancelInvoiceDto {
  @ApiProperty({
    example: 'Charged to the wrong cost centre',
    description: 'reason for the cancellation, printed on the credit note',
  })
  @IsDisplayName()
  reason!: string;
}

/** Parameters of GET /userapi/invoices. */
export class InvoiceListQuery {
  @ApiPropertyOptional({
    type: String,
    description: 'number of a document; lists the documents stored before it',
  })
  @Reads(parseNumber)
  @ValidateIf(isPresent)
  @IsStoredNumber()
  before?: DocumentNumber;

  @ApiPropertyOptional({
    pattern: MONTH.source,
    example: '2026-01',
    description: 'month (UTC), YYYY-MM',
  })
  @MayBeEmpty()
  @Matches(MONTH, code('E0045R', problem('field.oneMonth', { field: 'month' })))
  month?: string;

  @ApiPropertyOptional({
    description: 'name of a tenant, including earlier tenants of this name; by default all tenants',
  })
  @MayBeText()
  tenant?: string;

  @ApiPropertyOptional({ enum: DOCUMENT_KINDS })
  @MayBeEmpty()
  @IsIn(DOCUMENT_KINDS)
  kind?: DocumentKind;
}
