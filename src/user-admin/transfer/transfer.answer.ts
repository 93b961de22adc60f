import type { Reason } from '../../platform/errors/reasons.js';
import type { Code } from '../../platform/errors/catalogue.js';
import { OkAnswer } from '../../platform/http/ok.js';
import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { FORMAT_NAMES, type FormatName } from './formats/transfer-formats.js';

class ImportedUsers {
  @ApiProperty({ example: 998, description: 'number of users who were created' })
  created!: number;

  @ApiProperty({
    example: 1,
    description: 'number of users who already existed; keys may have been added',
  })
  present!: number;

  @ApiProperty({ example: 1, description: 'number of users refused with all of their keys' })
  refused!: number;

  @ApiProperty({
    example: 0,
    description: 'number of users omitted because the file contains no key for them',
  })
  withoutKeys!: number;
}

class ImportedKeys {
  @ApiProperty({ example: 1200, description: 'number of keys that were created' })
  created!: number;

  @ApiProperty({
    example: 2,
    description: 'number of keys that already existed and stay unchanged',
  })
  present!: number;

  @ApiProperty({ example: 1, description: 'number of keys that were refused' })
  refused!: number;

  @ApiProperty({
    example: 0,
    description:
      'number of keys omitted because the former server accepted them only after another factor',
  })
  secondFactors!: number;
}

export class ImportRefusal {
  @ApiProperty({ example: 17, description: 'number of the line, from 1; 0 means the whole file' })
  readonly line!: number;

  @ApiPropertyOptional({ example: 'anna' })
  readonly username?: string;

  @ApiPropertyOptional({
    example: 'q83vEjRWeJA',
    description: 'credential ID in Base64URL; absent if all keys of the user are refused',
  })
  readonly credentialId?: string;

  @ApiProperty({ type: String, nullable: true, example: 'E0039R' })
  readonly errorCode!: Code | null;

  @ApiProperty({ example: 'The public key or its algorithm is not acceptable.' })
  readonly errorMessage!: string;

  @ApiProperty({ type: String, example: 'publicKey.unacceptable' })
  readonly reason!: Reason;
}

const RECORDS = {
  example: 1000,
  description: 'number of records in the file; successive rows of one user are one record',
};

export class ImportAnswer extends OkAnswer {
  @ApiProperty({ example: 'example.com', description: 'domain of the relying party' })
  readonly relyingParty!: string;

  @ApiProperty({ enum: FORMAT_NAMES })
  readonly format!: FormatName;

  @ApiProperty({ example: false, description: 'whether this was a dry run: nothing was stored' })
  readonly dryRun!: boolean;

  @ApiProperty(RECORDS)
  readonly records!: number;

  @ApiProperty({ type: ImportedUsers })
  readonly users!: ImportedUsers;

  @ApiProperty({ type: ImportedKeys })
  readonly keys!: ImportedKeys;

  @ApiProperty({
    example: true,
    description:
      '`false` if the export was cut off, has other counts than its last line says, or continues after that ' +
      'line: users and keys may be missing. Other servers’ tables have no last line, so it is `true` for them',
  })
  readonly complete!: boolean;

  @ApiProperty({
    type: [ImportRefusal],
    description: 'the first hundred refusals, and always those of the file itself',
  })
  readonly refusals!: readonly ImportRefusal[];
}

export type ImportState = LastImport['state'];

/** The figures of an import. */
export type ImportTally = Pick<ImportAnswer, 'users' | 'keys'> & { records: number };

class LastImport {
  @ApiProperty({ enum: FORMAT_NAMES })
  readonly format!: string;

  @ApiProperty({
    enum: ['running', 'done', 'stopped'],
    description:
      'state of the import; `stopped`: ended by the file, which may be incomplete, the connection or ' +
      'the server; stored users and keys stay',
  })
  readonly state!: 'running' | 'done' | 'stopped';

  @ApiProperty({ example: 'admin', description: 'account that started the import' })
  readonly account!: string;

  @ApiProperty({ format: 'date-time' })
  readonly beganAt!: string;

  @ApiProperty({
    format: 'date-time',
    description: 'time at which the import last stored something',
  })
  readonly changedAt!: string;

  @ApiProperty(RECORDS)
  readonly records!: number;

  @ApiProperty({ type: ImportedUsers })
  readonly users!: ImportedUsers;

  @ApiProperty({ type: ImportedKeys })
  readonly keys!: ImportedKeys;
}

export class ImportProgressAnswer extends OkAnswer {
  @ApiProperty({ example: 'example.com', description: 'domain of the relying party' })
  readonly relyingParty!: string;

  /** Absent if there was no import. */
  @ApiPropertyOptional({ type: LastImport })
  readonly import?: LastImport;
}
