import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { SMALL, WHOLE, bytes } from '../../platform/database/entities/column-types.js';
import { ScopedColumns } from '../../platform/database/scope.js';

/** The maximum number of events in one row. */
export const EVENTS_PER_ROW = 256;
export const ID_BYTES = 16;

/**
 * The numbers of events of a relying party that were found together; the table has its name from version 1.0. A row for
 * each event, or a column in the ledger, takes four times as long to write, and rows take seven times the space,
 * measured on SQLite and MariaDB with 500 events of 20 relying parties at a time.
 */
@Entity('event_batches')
@Index('ix_event_batches_relying_party', ['relyingPartyId', 'last'])
@Index('ix_event_batches_tenant', ['tenantId', 'last'])
@Index('ix_event_batches_slice', ['slice', 'size'])
export class EventNumbers extends ScopedColumns {
  /** The number of the row's last event; the others have the numbers just before it. */
  @PrimaryColumn(WHOLE)
  last!: number;

  /** The slice of time (`timeSliceOf`) that contains the IDs of its events. */
  @Column(WHOLE)
  slice!: number;

  @Column(SMALL)
  size!: number;

  /** The IDs of the events, concatenated in the order of their numbers. */
  @Column(bytes(EVENTS_PER_ROW * ID_BYTES))
  ids!: Buffer;
}

/**
 * A single row with the progress of the numbering. It is updated by compare-and-set, in the same unit as the
 * numbers.
 */
@Entity('event_numbering')
export class NumberingProgress {
  @PrimaryColumn(SMALL)
  id!: number;

  @Column(WHOLE)
  last!: number;

  /** The time up to which all IDs have been searched for events: milliseconds since 1970, exclusive. */
  @Column(WHOLE)
  upto!: number;
}
