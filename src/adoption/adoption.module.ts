import { Module } from '@nestjs/common';
import { BillingModule } from '../billing/billing.module.js';
import { CredentialsModule } from '../credentials/credentials.module.js';
import { LedgerModule } from '../ledger/ledger.module.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { TrustModule } from '../trust/trust.module.js';
import { AdoptionController } from './adoption.controller.js';
import { AdoptionPageController } from './adoption-page.controller.js';
import { AdoptionReader } from './adoption-reader.js';
import { CeremonyReader } from './ceremony-reader.js';
import { KeyReader } from './key-reader.js';

/** Figures on how people take to their keys, from what is stored anyway and counts of begun ceremonies. */
@Module({
  imports: [BillingModule, CredentialsModule, LedgerModule, TenancyModule, TrustModule],
  controllers: [AdoptionController, AdoptionPageController],
  providers: [AdoptionReader, CeremonyReader, KeyReader],
})
export class AdoptionModule {}
