import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BillingModule } from '../billing/billing.module.js';
import { UsersModule } from '../users/users.module.js';
import { EventsModule } from '../events/events.module.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { TrustModule } from '../trust/trust.module.js';
import { AdoptionController } from './adoption.controller.js';
import { AdoptionPageController } from './adoption-page.controller.js';
import { AdoptionDay } from './curve/adoption-day.entity.js';
import { AdoptionDays } from './curve/adoption-days.js';
import { AdoptionTarget } from './target/target.entity.js';
import { AdoptionTargets } from './target/targets.js';
import { AdoptionReader } from './adoption-reader.js';
import { CeremonyReader } from './ceremony-reader.js';
import { KeyReader } from './key-reader.js';
import { UserReader } from './user-reader.js';

/** Figures on the adoption of keys, from stored data and counts of begun ceremonies. */
@Module({
  imports: [
    TypeOrmModule.forFeature([AdoptionDay, AdoptionTarget]),
    BillingModule,
    UsersModule,
    EventsModule,
    TenancyModule,
    TrustModule,
  ],
  controllers: [AdoptionController, AdoptionPageController],
  providers: [AdoptionDays, AdoptionReader, CeremonyReader, KeyReader, AdoptionTargets, UserReader],
})
export class AdoptionModule {}
