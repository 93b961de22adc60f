import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CeremonyCount } from './ceremony-counts/ceremony-count.entity.js';
import { CeremonyCounts } from './ceremony-counts/ceremony-counts.js';
import { EventLog } from './event-log.js';
import { EventEntity } from './event.entity.js';
import { EventNumbers, NumberingProgress } from './numbering/event-numbers.entity.js';
import { NumberedEvents } from './numbering/numbered-events.js';
import { NumberingStore } from './numbering/numbering-store.js';
import { Receipt } from './receipts/receipt.entity.js';
import { HourlyEventCounts } from './hourly-event-counts.js';
import { EventRetention } from './event-retention.js';

const SHARED = [
  CeremonyCounts,
  EventLog,
  EventRetention,
  HourlyEventCounts,
  NumberedEvents,
  NumberingStore,
];

/** The ledger of events. Features append to it with steps in their own units. */
@Module({
  imports: [
    TypeOrmModule.forFeature([
      CeremonyCount,
      EventEntity,
      EventNumbers,
      NumberingProgress,
      Receipt,
    ]),
  ],
  providers: SHARED,
  exports: [...SHARED, TypeOrmModule],
})
export class EventsModule {}
