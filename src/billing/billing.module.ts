import { Module } from '@nestjs/common';
import { Estimate } from './estimate.js';
import { InvoiceController } from './invoice.controller.js';
import { InvoiceLog } from './invoice-log.js';
import { InvoiceService } from './invoice.service.js';
import { PRICES } from './prices.js';
import { RollUp } from './roll-up.js';
import { UsageDays } from './usage-days.js';
import { UsageReader } from './usage-reader.js';
import { UsageStore } from './usage-store.js';

/** What tenants used, counted from the ledger, and what it costs them. */
@Module({
  controllers: [InvoiceController],
  providers: [
    Estimate,
    InvoiceLog,
    InvoiceService,
    PRICES,
    RollUp,
    UsageDays,
    UsageReader,
    UsageStore,
  ],
  exports: [UsageDays],
})
export class BillingModule {}
