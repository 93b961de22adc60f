import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EventEntity } from './event.entity.js';

/** The ledger of what happened, which features write to by steps of their own units. */
@Module({ imports: [TypeOrmModule.forFeature([EventEntity])] })
export class LedgerModule {}
