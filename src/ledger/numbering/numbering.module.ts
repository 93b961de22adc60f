import { Module } from '@nestjs/common';
import { LedgerModule } from '../ledger.module.js';
import { EventNumbering } from './event-numbering.js';

/** The job that numbers events. Servers import it, commands do not. */
@Module({ imports: [LedgerModule], providers: [EventNumbering] })
export class NumberingModule {}
