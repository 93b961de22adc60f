import { PRODUCT_VERSION } from '../project.js';
import { ApiProperty, ApiPropertyOptional } from './openapi/openapi.js';

/** The version of the Open Cybersecurity Schema Framework whose classes these records have. */
const OCSF_VERSION = '1.2.0';

/** The classes that are used, with their categories (https://schema.ocsf.io/1.2.0/classes). */
const CLASSES = {
  'Account Change': { category_uid: 3, class_uid: 3001 },
  Authentication: { category_uid: 3, class_uid: 3002 },
  'Entity Management': { category_uid: 3, class_uid: 3004 },
  'API Activity': { category_uid: 6, class_uid: 6003 },
} as const;

/** The activities that are used, by class; 99 is Other. */
const ACTIVITIES = {
  'Account Change': {
    Create: 1,
    Enable: 2,
    'Password Change': 3,
    'Password Reset': 4,
    Disable: 5,
    Delete: 6,
    'MFA Factor Enable': 10,
    'MFA Factor Disable': 11,
    Other: 99,
  },
  Authentication: { Logon: 1, Logoff: 2 },
  'Entity Management': { Create: 1, Update: 3, Delete: 4 },
  'API Activity': { Create: 1, Read: 2, Update: 3, Delete: 4, Other: 99 },
} as const;

const SEVERITIES = { Informational: 1, Low: 2, Medium: 3, High: 4 } as const;

/** The class and the activity of a kind of record. */
export type OcsfKind = {
  [Class in keyof typeof CLASSES]: readonly [Class, keyof (typeof ACTIVITIES)[Class]];
}[keyof typeof CLASSES];

interface OcsfFacts {
  readonly id: string;
  /** Our own word for the kind. */
  readonly code: string;
  /** ISO 8601. */
  readonly at: string;
  readonly log: 'events' | 'audit';
  readonly tenant: string | null;
  readonly requestId: string | null;
  readonly isRefused: boolean;
  readonly errorCode: string | null;
  readonly severity: keyof typeof SEVERITIES;
  readonly message: string;
}

const FREE = { type: 'object', additionalProperties: true } as const;

/** A record of OCSF; its class says which of the optional members it has. */
export class OcsfRecord {
  @ApiProperty({ example: 3 })
  readonly category_uid!: number;

  @ApiProperty({ example: 3002 })
  readonly class_uid!: number;

  @ApiProperty({ example: 'Authentication' })
  readonly class_name!: string;

  @ApiProperty({ example: 1 })
  readonly activity_id!: number;

  @ApiProperty({ example: 'Logon' })
  readonly activity_name!: string;

  @ApiProperty({ example: 300201 })
  readonly type_uid!: number;

  @ApiProperty({ example: 1 })
  readonly severity_id!: number;

  @ApiProperty({ example: 1767225600000, description: 'milliseconds since 1970' })
  readonly time!: number;

  @ApiProperty({ enum: [1, 2], example: 1, description: '1: success, 2: failure' })
  readonly status_id!: number;

  @ApiProperty({ example: 'The user signed in.' })
  readonly message!: string;

  @ApiProperty({ ...FREE, example: { version: OCSF_VERSION, product: { name: 'ServiceFido' } } })
  readonly metadata!: Readonly<Record<string, unknown>>;

  @ApiPropertyOptional({ example: 'E0034R' })
  readonly status_code?: string;

  @ApiPropertyOptional({ example: 'user-handle-mismatch' })
  readonly status_detail?: string;

  @ApiPropertyOptional({ example: 99 })
  readonly auth_protocol_id?: number;

  @ApiPropertyOptional({ example: 'WebAuthn' })
  readonly auth_protocol?: string;

  @ApiPropertyOptional({ ...FREE, description: 'whose account or key it is' })
  readonly user?: object;

  @ApiPropertyOptional({ ...FREE, description: 'who made the change' })
  readonly actor?: object;

  @ApiPropertyOptional({ ...FREE, description: 'where the call came from' })
  readonly src_endpoint?: object;

  @ApiPropertyOptional({ ...FREE, description: 'the relying party' })
  readonly service?: object;

  @ApiPropertyOptional({ ...FREE, description: 'what was changed' })
  readonly entity?: object;

  @ApiPropertyOptional({ ...FREE, description: 'the operation' })
  readonly api?: object;

  @ApiPropertyOptional({ ...FREE, description: 'facts that the class has no member for' })
  readonly unmapped?: object;
}

/** The members of a record that every class has. */
export function ocsfRecord([name, activity]: OcsfKind, facts: OcsfFacts): OcsfRecord {
  const { category_uid, class_uid } = CLASSES[name];
  const ids: Readonly<Record<string, number>> = ACTIVITIES[name];
  const activity_id = ids[activity] ?? 99;
  const { errorCode } = facts;
  return {
    category_uid,
    class_uid,
    class_name: name,
    activity_id,
    // OCSF wants our own word where no activity of the class fits.
    activity_name: activity_id === 99 ? facts.code : activity,
    type_uid: class_uid * 100 + activity_id,
    severity_id: SEVERITIES[facts.severity],
    time: Date.parse(facts.at),
    status_id: facts.isRefused ? 2 : 1,
    ...(errorCode !== null && { status_code: errorCode }),
    message: facts.message,
    metadata: {
      version: OCSF_VERSION,
      product: { name: 'ServiceFido', vendor_name: 'ServiceFido', version: PRODUCT_VERSION },
      uid: facts.id,
      event_code: facts.code,
      log_name: facts.log,
      ...(facts.tenant !== null && { tenant_uid: facts.tenant }),
      ...(facts.requestId !== null && { correlation_uid: facts.requestId }),
    },
  };
}
