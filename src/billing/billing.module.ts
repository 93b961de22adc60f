import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { LedgerModule } from '../ledger/ledger.module.js';
import { RelyingPartyEntity } from '../tenancy/relying-party.entity.js';
import { Tenant } from '../tenancy/tenant.entity.js';
import { ActiveUser } from './active-user.entity.js';
import { Estimate } from './estimate.js';
import { InvoiceController } from './invoice.controller.js';
import { InvoiceEntity } from './invoice.entity.js';
import { InvoiceLog } from './invoice-log.js';
import { InvoiceService } from './invoice.service.js';
import { Issuing } from './issuing.js';
import { PRICES } from './prices.js';
import { RollUp } from './roll-up.js';
import { StoredInvoices } from './stored-invoices.js';
import { UsageDayEntity } from './usage-day.entity.js';
import { UsageDays } from './usage-days.js';
import { UsageProgress } from './usage-progress.entity.js';
import { UsageReader } from './usage-reader.js';
import { UsageStore } from './usage-store.js';

/** What tenants used, counted from the ledger, and what it costs them. */
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
    LedgerModule,
  ],
  controllers: [InvoiceController],
  providers: [
    Estimate,
    InvoiceLog,
    InvoiceService,
    Issuing,
    PRICES,
    RollUp,
    StoredInvoices,
    UsageDays,
    UsageReader,
    UsageStore,
  ],
  exports: [UsageDays],
})
export class BillingModule {}
