import { ocsfRecord, type OcsfKind, type OcsfRecord } from '../platform/http/ocsf.js';
import type { AuditAction } from './audit-entry.js';
import type { AuditView } from './audit.answer.js';

/** A row about many users is no `Account Change`, which names the one user that it concerns. */
const OCSF_KINDS: Readonly<Record<AuditAction, OcsfKind>> = {
  'aaguid.add': ['Entity Management', 'Create'],
  'aaguid.remove': ['Entity Management', 'Delete'],
  'account.break-glass': ['Account Change', 'Other'],
  'account.change': ['Account Change', 'Other'],
  'account.create': ['Account Change', 'Create'],
  'account.key.add': ['Account Change', 'MFA Factor Enable'],
  'account.key.remove': ['Account Change', 'MFA Factor Disable'],
  'account.password': ['Account Change', 'Password Change'],
  'account.remove': ['Account Change', 'Delete'],
  'account.reset': ['Account Change', 'Password Reset'],
  'account.rule': ['Entity Management', 'Update'],
  'account.setup': ['Account Change', 'Enable'],
  'application-key.confirm': ['Entity Management', 'Update'],
  'application-key.issue': ['Entity Management', 'Create'],
  'application-key.revoke': ['Entity Management', 'Delete'],
  'audit.erase': ['API Activity', 'Delete'],
  'audit.key': ['API Activity', 'Update'],
  'break-glass': ['Authentication', 'Logon'],
  'console.sign-in': ['Authentication', 'Logon'],
  'console.sign-out': ['Authentication', 'Logoff'],
  'console.sign-out-everywhere': ['Authentication', 'Logoff'],
  'credential.delete': ['Account Change', 'MFA Factor Disable'],
  'credential.disable': ['Account Change', 'MFA Factor Disable'],
  'credential.enable': ['Account Change', 'MFA Factor Enable'],
  'database.restore': ['API Activity', 'Other'],
  'deletion.undo': ['Account Change', 'Create'],
  'group.change': ['Entity Management', 'Update'],
  'group.create': ['Entity Management', 'Create'],
  'group.delete': ['Entity Management', 'Delete'],
  'finding.decide': ['API Activity', 'Update'],
  'invitation.begin': ['API Activity', 'Other'],
  'invitation.issue': ['API Activity', 'Create'],
  'invitation.key': ['Account Change', 'MFA Factor Enable'],
  'invitation.revoke': ['API Activity', 'Delete'],
  'invoice.cancel': ['API Activity', 'Update'],
  'invoice.issue': ['API Activity', 'Create'],
  'mds.upload': ['API Activity', 'Update'],
  'model.disable': ['API Activity', 'Update'],
  'model.disable.stop': ['API Activity', 'Other'],
  'model.disable.undo': ['API Activity', 'Update'],
  'my-keys.delete': ['Account Change', 'MFA Factor Disable'],
  'my-keys.rename': ['Account Change', 'Other'],
  'my-keys.report': ['Account Change', 'MFA Factor Disable'],
  'oidc-client.change': ['Entity Management', 'Update'],
  'oidc-client.create': ['Entity Management', 'Create'],
  'oidc-client.remove': ['Entity Management', 'Delete'],
  'oidc-client.rotate': ['Entity Management', 'Update'],
  'oidc-keys.rotate': ['Entity Management', 'Update'],
  'relying-party.change': ['Entity Management', 'Update'],
  'relying-party.create': ['Entity Management', 'Create'],
  'relying-party.remove': ['Entity Management', 'Delete'],
  'secrets.reseal': ['API Activity', 'Update'],
  'signing-key.revoke': ['API Activity', 'Delete'],
  'signing-key.rotate': ['API Activity', 'Update'],
  'tenant.change': ['Entity Management', 'Update'],
  'tenant.create': ['Entity Management', 'Create'],
  'tenant.remove': ['Entity Management', 'Delete'],
  'ticket.issue': ['API Activity', 'Create'],
  'ticket.revoke': ['API Activity', 'Delete'],
  'user.change': ['Account Change', 'Other'],
  'user.create': ['Account Change', 'Create'],
  'user.delete': ['Account Change', 'Delete'],
  'user.disable': ['Account Change', 'Disable'],
  'user.enable': ['Account Change', 'Enable'],
  'user.erase': ['Account Change', 'Delete'],
  'user.groups': ['Account Change', 'Other'],
  'user.link': ['Account Change', 'Other'],
  'user.rename': ['Account Change', 'Other'],
  'user.suspend': ['Account Change', 'Disable'],
  'user.unsuspend': ['Account Change', 'Enable'],
  'users.change': ['API Activity', 'Update'],
  'users.change-list': ['API Activity', 'Update'],
  'users.change-list.stop': ['API Activity', 'Other'],
  'users.delete-list': ['API Activity', 'Delete'],
  'users.delete-list.stop': ['API Activity', 'Other'],
  'users.export': ['API Activity', 'Read'],
  'users.import': ['API Activity', 'Create'],
  'users.import.part': ['API Activity', 'Create'],
  'users.import.try': ['API Activity', 'Read'],
  'webhook.change': ['API Activity', 'Update'],
  'webhook.create': ['API Activity', 'Create'],
  'webhook.forget': ['API Activity', 'Delete'],
  'webhook.remove': ['API Activity', 'Delete'],
  'webhook.resend': ['API Activity', 'Other'],
  'webhook.rotate': ['API Activity', 'Update'],
  'webhook.test': ['API Activity', 'Other'],
};

/** Actions of earlier versions have no line. */
const kindOf = (action: string): OcsfKind =>
  OCSF_KINDS[action as AuditAction] ?? ['API Activity', 'Other'];

/** What a class needs beside the common members. */
function membersOf(kind: string, row: AuditView): object {
  const { account, action, target, tenant, relyingParty } = row;
  if (kind === 'Authentication') {
    return { user: { name: account }, service: { name: 'ServiceFido console' } };
  }
  if (kind === 'Account Change') return { user: { name: target ?? account } };
  const [type] = action.split('.');
  const name = target ?? relyingParty ?? tenant ?? action;
  return kind === 'Entity Management' ? { entity: { type, name } } : { api: { operation: action } };
}

/** A row of the audit trail as a record of OCSF. */
export function ocsfOfRow(row: AuditView): OcsfRecord {
  const { hash, seq, action, at, tenant, relyingParty, requestId, account, address, code } = row;
  const isRefused = row.result === 'refused';
  const record = ocsfRecord(kindOf(action), {
    id: hash,
    at,
    code: action,
    log: 'audit',
    tenant,
    requestId,
    isRefused,
    errorCode: code,
    severity: isRefused ? 'Low' : 'Informational',
    message: `${action}${row.target === null ? '' : ` ${row.target}`}`,
  });
  return {
    ...record,
    metadata: { ...record.metadata, sequence: seq },
    actor: { user: { name: account, type: row.role } },
    src_endpoint: address === '' ? { name: account } : { ip: address },
    ...membersOf(record.class_name, row),
    unmapped: { relyingParty, target: row.target, detail: row.detail },
  };
}
