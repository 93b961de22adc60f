import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { serverOptions } from '../platform/config/server-config.js';
import { EventsModule } from '../events/events.module.js';
import { RelyingPartyEntity } from '../tenancy/relying-party.entity.js';
import { Tenant } from '../tenancy/tenant.entity.js';
import { Prices, readPrices } from './pricing/price-list.js';
import { ActiveUser, UsageDayEntity, UsageProgress } from './usage/usage.entity.js';
import { DocumentSeries } from './invoices/document-series.js';
import { Estimate } from './pricing/estimate.js';
import { InvoiceController } from './invoice.controller.js';
import { InvoiceEntity } from './invoices/invoice.entity.js';
import { DocumentStore } from './invoices/document-store.js';
import { InvoiceComputation } from './invoices/invoice-computation.js';
import { InvoiceIssue } from './invoices/invoice-issue.js';
import { RollUp } from './usage/roll-up.js';
import { DocumentReader } from './invoices/document-reader.js';
import { UsageReader } from './usage/usage-reader.js';
import { UsageStore } from './usage/usage-store.js';
import { InvoiceFinder } from './invoices/invoice-finder.js';

/** The usage of tenants, counted from the ledger, and its cost. */
@Module({
  imports: [
    TypeOrmModule.forFeature([
      ActiveUser,
      InvoiceEntity,
      RelyingPartyEntity,
      Tenant,
      UsageDayEntity,
      UsageProgress,
    ]),
    EventsModule,
  ],
  controllers: [InvoiceController],
  providers: [
    InvoiceFinder,
    DocumentSeries,
    Estimate,
    DocumentStore,
    InvoiceComputation,
    InvoiceIssue,
    // Read once; the options have already refused a file with errors.
    { provide: Prices, inject: [serverOptions.KEY], useFactory: readPrices },
    RollUp,
    DocumentReader,
    UsageReader,
    UsageStore,
  ],
  exports: [DocumentStore, DocumentSeries, UsageReader],
})
export class BillingModule {}
