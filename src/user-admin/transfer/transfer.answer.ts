import type { Reason } from '../../platform/errors/reasons.js';
import type { AuditDetail } from '../../audit/audit-entry.js';
import { OkAnswer, ok } from '../../platform/http/ok.js';
import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { FORMAT_NAMES, type FormatName } from './formats/registry.js';
import type { ImportEntity, ImportState, ImportTally } from './import.entity.js';
import type { ImportOrder } from './importer.js';
import type { ImportReport } from './import-report.js';

class ImportedUsers {
  @ApiProperty({ example: 998, description: 'who are new here' })
  readonly created!: number;

  @ApiProperty({ example: 1, description: 'who were here; keys may have been added' })
  readonly present!: number;

  @ApiProperty({ example: 1, description: 'with all of their keys' })
  readonly refused!: number;

  @ApiProperty({ example: 0, description: 'left out: the file has no key of theirs' })
  readonly withoutKeys!: number;
}

class ImportedKeys {
  @ApiProperty({ example: 1200, description: 'that are new here' })
  readonly created!: number;

  @ApiProperty({ example: 2, description: 'that were here, and stay as they are' })
  readonly present!: number;

  @ApiProperty({ example: 1, description: 'that are not taken' })
  readonly refused!: number;
}

class ImportRefusal {
  @ApiProperty({ example: 17, description: 'counted from 1; 0 is the file as a whole' })
  readonly line!: number;

  @ApiPropertyOptional({ example: 'anna' })
  readonly username?: string;

  @ApiPropertyOptional({
    example: 'q83vEjRWeJA',
    description: 'Base64URL; absent: all of the user',
  })
  readonly credentialId?: string;

  @ApiProperty({ type: String, nullable: true, example: 'E0039R' })
  readonly errorCode!: string | null;

  @ApiProperty({ example: 'The public key or its algorithm is not acceptable.' })
  readonly errorMessage!: string;

  @ApiProperty({ type: String, example: 'publicKey.unacceptable' })
  readonly reason!: Reason;
}

const RECORDS = { example: 1000, description: 'users of the file, or rows put together to one' };

export class ImportAnswer extends OkAnswer {
  @ApiProperty({ example: 'example.com', description: 'its domain' })
  readonly relyingParty!: string;

  @ApiProperty({ enum: FORMAT_NAMES })
  readonly format!: FormatName;

  @ApiProperty({ example: false, description: 'nothing was stored: this is what would be' })
  readonly dryRun!: boolean;

  @ApiProperty(RECORDS)
  readonly records!: number;

  @ApiProperty({ type: ImportedUsers })
  readonly users!: ImportedUsers;

  @ApiProperty({ type: ImportedKeys })
  readonly keys!: ImportedKeys;

  @ApiProperty({ type: [ImportRefusal], description: 'the first hundred' })
  readonly refusals!: readonly ImportRefusal[];
}

class LastImport {
  @ApiProperty({ enum: FORMAT_NAMES })
  readonly format!: string;

  @ApiProperty({
    enum: ['running', 'done', 'stopped'],
    description: '`stopped`: the file, the connection or the server ended it; what it stored stays',
  })
  readonly state!: ImportState;

  @ApiProperty({ example: 'admin', description: 'who began it' })
  readonly account!: string;

  @ApiProperty({ format: 'date-time' })
  readonly beganAt!: string;

  @ApiProperty({ format: 'date-time', description: 'when it stored something last' })
  readonly changedAt!: string;

  @ApiProperty(RECORDS)
  readonly records!: number;

  @ApiProperty({ type: ImportedUsers })
  readonly users!: ImportedUsers;

  @ApiProperty({ type: ImportedKeys })
  readonly keys!: ImportedKeys;
}

export class ImportProgressAnswer extends OkAnswer {
  @ApiProperty({ example: 'example.com', description: 'its domain' })
  readonly relyingParty!: string;

  /** Absent if there was no import. */
  @ApiPropertyOptional({ type: LastImport })
  readonly import?: LastImport;
}

export const importAnswer = (
  { rp, format, dryRun }: ImportOrder,
  { tally, refusals }: ImportReport,
): ImportAnswer => ok({ relyingParty: rp.domain, format, dryRun, ...tally, refusals });

export const progressAnswer = (
  { domain }: RelyingParty,
  found: ImportEntity | undefined,
): ImportProgressAnswer =>
  ok({ relyingParty: domain, ...(found && { import: lastImport(found) }) });

const lastImport = ({ source, state, account, beganAt, changedAt, tally }: ImportEntity) => ({
  format: source,
  state,
  account,
  beganAt: new Date(beganAt).toISOString(),
  changedAt: new Date(changedAt).toISOString(),
  ...tally,
});

export const auditDetail = (
  { format, assumeVerified }: Pick<ImportOrder, 'format' | 'assumeVerified'>,
  { records, users, keys }: ImportTally,
): AuditDetail => ({
  format,
  ...(assumeVerified && { assumeVerified }),
  records,
  users: users.created,
  keys: keys.created,
  refused: users.refused + keys.refused,
});
