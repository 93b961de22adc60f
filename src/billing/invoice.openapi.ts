import { applyDecorators } from '@nestjs/common';
import { ApiOperation, ApiProduces, ApiResponse } from '../http/openapi.js';

const FORMS = ['application/json', 'text/csv', 'text/html'];

export const ApiInvoice = () =>
  applyDecorators(
    ApiOperation({ summary: 'The invoice of a month up to a date; stored with invoicelog=yes' }),
    ApiProduces(...FORMS),
    ApiResponse({
      status: 200,
      description: 'status and invoice; with a number when it is stored',
    }),
    ApiResponse({ status: 400, description: 'E0045R' }),
    ApiResponse({ status: 403, description: 'E0043R' }),
  );

export const ApiInvoiceList = () =>
  applyDecorators(
    ApiOperation({ summary: 'Lists the invoices that are stored, newest first' }),
    ApiProduces(...FORMS),
    ApiResponse({ status: 200, description: 'status, invoices, and next when there are more' }),
  );

export const ApiStoredInvoice = () =>
  applyDecorators(
    ApiOperation({ summary: 'A stored invoice, byte for byte as it was issued' }),
    ApiProduces(...FORMS),
    ApiResponse({ status: 200, description: 'the answer of the call that issued it' }),
    ApiResponse({ status: 404, description: 'E0044R' }),
  );

export const ApiEstimate = () =>
  applyDecorators(
    ApiOperation({ summary: 'About how long an invoice will take' }),
    ApiResponse({ status: 200, description: 'status, estimateMs and what it is reckoned from' }),
  );
