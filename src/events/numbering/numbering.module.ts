import { Module } from '@nestjs/common';
import { EventsModule } from '../events.module.js';
import { EventNumbering } from './event-numbering.js';

/** The job that numbers events. Servers import it, commands do not. */
@Module({ imports: [EventsModule], providers: [EventNumbering] })
export class NumberingModule {}
