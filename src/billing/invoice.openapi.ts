import { applyDecorators } from '@nestjs/common';
import {
  ApiForbiddenResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiBadRequestResponse,
  ApiProduces,
  ApiQuery,
} from '@nestjs/swagger';

const FORMS = ['application/json', 'text/csv', 'text/html'];

export const ApiInvoice = () =>
  applyDecorators(
    ApiOperation({ summary: 'The invoice of a month up to a date; stored with invoicelog=yes' }),
    ApiQuery({ name: 'date', required: false, description: 'YYYY-MM-DD, UTC; today when absent' }),
    ApiQuery({ name: 'invoicelog', required: false, enum: ['yes', 'no'] }),
    ApiProduces(...FORMS),
    ApiOkResponse({ description: 'status and invoice; with a number when it is stored' }),
    ApiBadRequestResponse({ description: 'E0045R' }),
    ApiForbiddenResponse({ description: 'E0043R' }),
  );

export const ApiInvoiceList = () =>
  applyDecorators(
    ApiOperation({ summary: 'Lists the invoices that are stored, newest first' }),
    ApiQuery({ name: 'before', required: false, description: 'lists numbers below this one' }),
    ApiProduces(...FORMS),
    ApiOkResponse({ description: 'status, invoices, and next when there are more' }),
  );

export const ApiStoredInvoice = () =>
  applyDecorators(
    ApiOperation({ summary: 'A stored invoice, byte for byte as it was issued' }),
    ApiProduces(...FORMS),
    ApiOkResponse({ description: 'the answer of the call that issued it' }),
    ApiNotFoundResponse({ description: 'E0044R' }),
  );

export const ApiEstimate = () =>
  applyDecorators(
    ApiOperation({ summary: 'About how long an invoice will take' }),
    ApiOkResponse({ description: 'status, estimateMs and what it is reckoned from' }),
  );
