import { ocsfRecord, type OcsfKind, type OcsfRecord } from '../platform/http/ocsf.js';
import type { EventView } from './event.answer.js';
import type { EventKind } from './event.entity.js';

const KINDS: Readonly<Record<EventKind, OcsfKind>> = {
  registration: ['Account Change', 'MFA Factor Enable'],
  imported: ['Account Change', 'MFA Factor Enable'],
  authentication: ['Authentication', 'Logon'],
  'second-factor': ['Authentication', 'Logon'],
  'clone-alarm': ['Authentication', 'Logon'],
  enabled: ['Account Change', 'MFA Factor Enable'],
  disabled: ['Account Change', 'MFA Factor Disable'],
  deleted: ['Account Change', 'MFA Factor Disable'],
  'user-created': ['Account Change', 'Create'],
  'user-deleted': ['Account Change', 'Delete'],
  'user-suspended': ['Account Change', 'Disable'],
  'user-unsuspended': ['Account Change', 'Enable'],
  'user-groups-changed': ['Account Change', 'Other'],
  'registration-refused': ['Account Change', 'MFA Factor Enable'],
  'authentication-refused': ['Authentication', 'Logon'],
  policy: ['Account Change', 'Other'],
  finding: ['Account Change', 'Other'],
  'finding-closed': ['Account Change', 'Other'],
  'key-reported': ['Account Change', 'MFA Factor Disable'],
};

const severityOf = ({ kind, outcome }: EventView) => {
  if (kind === 'clone-alarm' || kind === 'key-reported') return 'High';
  if (kind === 'finding') return 'Medium';
  return outcome === 'refused' ? 'Low' : 'Informational';
};

/** An event as a record of OCSF: sign-ins are Authentication, keys and users Account Change. */
export function ocsfOfEvent(event: EventView, tenant: string): OcsfRecord {
  const { id, at, kind, errorCode, requestId, relyingParty, username, credential, detail } = event;
  const record = ocsfRecord(KINDS[kind], {
    id,
    at,
    code: kind,
    log: 'events',
    tenant,
    requestId,
    errorCode,
    isRefused: event.outcome === 'refused',
    severity: severityOf(event),
    message: event.explanation,
  });
  const user = { name: username, ...(credential !== null && { credential_uid: credential }) };
  const signIn = {
    auth_protocol_id: 99,
    auth_protocol: 'WebAuthn',
    service: { name: relyingParty },
  };
  return {
    ...record,
    user,
    ...(record.class_name === 'Authentication' && signIn),
    ...(detail !== null && { status_detail: detail }),
    unmapped: { relyingParty },
  };
}
