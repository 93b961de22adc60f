import { OcsfRecord } from '../platform/http/ocsf.js';
import { OkAnswer } from '../platform/http/ok.js';
import { ApiProperty, ApiPropertyOptional } from '../platform/http/openapi/openapi.js';
import type { AuditDetail } from './audit-entry.js';
import type { AuditRow } from './audit-row.entity.js';

/** A row in the JSON answer. */
export class AuditView {
  @ApiProperty({ type: 'integer', minimum: 1, example: 12 })
  readonly seq!: number;

  @ApiProperty({ format: 'date-time' })
  readonly at!: string;

  @ApiProperty({
    example: 'admin',
    description: 'account or application key that made the change; `cli` for the command line',
  })
  readonly account!: string;

  @ApiProperty({ example: 'admin' })
  readonly role!: string;

  @ApiProperty({
    example: '192.0.2.1',
    description: 'IP address of the client; empty for the command line',
  })
  readonly address!: string;

  @ApiProperty({ example: 'credential.disable' })
  readonly action!: string;

  @ApiProperty({ type: String, nullable: true, example: 'default' })
  readonly tenant!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'localhost' })
  readonly relyingParty!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'alice@example.com' })
  readonly target!: string | null;

  @ApiProperty({ enum: ['ok', 'refused'] })
  readonly result!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'error code, if the change was refused',
  })
  readonly code!: string | null;

  @ApiProperty({ example: 'b3sQ9cWv-1f' })
  readonly requestId!: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: { oneOf: ['string', 'number', 'boolean'].map((type) => ({ type })) },
    example: { users: 1, credentials: 2 },
    description: 'further facts about the change',
  })
  readonly detail!: AuditDetail;

  @ApiProperty({
    pattern: '^[0-9a-f]{64}$',
    example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    description: 'SHA-256 of the row, which includes the hash of the row before it',
  })
  readonly hash!: string;
}

export class AuditAnswer extends OkAnswer {
  @ApiProperty({ type: [AuditView] })
  readonly entries!: readonly AuditView[];

  @ApiProperty({
    type: String,
    nullable: true,
    example: '12',
    description: '`cursor` (or `after`) of the next page; `null` on the last page',
  })
  readonly next!: string | null;

  @ApiPropertyOptional({ type: [OcsfRecord], description: 'the rows, only with `format=ocsf`' })
  readonly records?: readonly OcsfRecord[];

  @ApiPropertyOptional({
    description: 'whether more rows may be available at once; only with `after`',
  })
  readonly more?: boolean;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'fingerprint of the key that seals the trail; `null` without such a key',
  })
  readonly sealedBy!: string | null;
}

const text = (bytes: Buffer | null) => bytes?.toString('utf8') ?? null;

export const auditView = (row: AuditRow): AuditView => ({
  seq: row.seq,
  at: new Date(row.at).toISOString(),
  account: row.account.toString('utf8'),
  role: row.role,
  address: row.address,
  action: row.action,
  tenant: text(row.tenant),
  relyingParty: text(row.relyingParty),
  target: text(row.target),
  result: row.result,
  code: row.code,
  requestId: row.requestId,
  detail: JSON.parse(row.detail) as AuditDetail,
  hash: row.hash.toString('hex'),
});

export const auditEntries = (rows: readonly AuditRow[]): readonly AuditView[] =>
  rows.map(auditView);
