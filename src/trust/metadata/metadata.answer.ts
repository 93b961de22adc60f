import { OkAnswer } from '../../platform/http/ok.js';
import { ApiCount, ApiProperty } from '../../platform/http/openapi/openapi.js';

const TIME = { type: String, format: 'date-time', nullable: true } as const;

const UNREADABLE_ENTRIES = 'entries that cannot be read; a known model keeps its last state';
const UNREADABLE_MEMBERS = 'members that cannot be read and decide nothing';

/** State of a source of metadata; times are `null` for never. */
export class SourceReport {
  @ApiProperty({ example: 'mds3.fidoalliance.org' })
  readonly source!: string;

  @ApiProperty({ enum: ['url', 'file', 'upload'] })
  readonly kind!: 'url' | 'file' | 'upload';

  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 106,
    description: 'serial number of the BLOB',
  })
  readonly no!: number | null;

  @ApiProperty({ type: String, format: 'date', nullable: true })
  readonly nextUpdate!: string | null;

  @ApiCount({ example: 250, description: 'number of models' })
  readonly entries!: number;

  @ApiCount({ example: 0, description: UNREADABLE_ENTRIES })
  readonly skippedEntries!: number;

  @ApiCount({ example: 0, description: UNREADABLE_MEMBERS })
  readonly skippedMembers!: number;

  @ApiProperty({ ...TIME, description: 'when the BLOB was loaded' })
  readonly takenAt!: string | null;

  @ApiCount({ nullable: true, example: 86_400, description: 'age of the BLOB in seconds' })
  readonly age!: number | null;

  @ApiProperty(TIME)
  readonly checkedAt!: string | null;

  @ApiProperty({ description: 'whether there is no BLOB, or the announced next BLOB is overdue' })
  readonly stale!: boolean;

  @ApiProperty({
    example: '',
    description: 'error of the last attempt; empty if it succeeded',
  })
  readonly error!: string;
}

class CountedAnswer extends OkAnswer {
  @ApiCount({ example: 250, description: 'number of models' })
  readonly entries!: number;

  @ApiCount({ example: 0, description: UNREADABLE_ENTRIES })
  readonly skippedEntries!: number;

  @ApiCount({ example: 0, description: UNREADABLE_MEMBERS })
  readonly skippedMembers!: number;
}

/** Answer of GET /userapi/mds; the numbers are those of all sources. */
export class MetadataAnswer extends CountedAnswer {
  @ApiProperty({
    description: 'whether metadata is used; otherwise the call is refused with E0046R',
  })
  readonly enabled!: boolean;

  @ApiCount({ example: 86_400, description: 'age of the oldest source in seconds' })
  readonly age!: number;

  @ApiProperty({ description: 'whether one of the sources is stale' })
  readonly stale!: boolean;

  @ApiProperty({ type: [SourceReport] })
  readonly sources!: readonly SourceReport[];
}

/** Answer of POST /userapi/mds. */
export class MetadataUploadedAnswer extends CountedAnswer {
  @ApiProperty({ type: 'integer', example: 106, description: 'serial number of the BLOB' })
  readonly no!: number;

  @ApiProperty({ format: 'date' })
  readonly nextUpdate!: string;
}
