/**
 * All actions in the trail, in the order of the page's list. Those that revoke a right or a key, delete a user, or
 * change a secret are `revokes`: restoring a backup undoes them.
 */
const ACTION_EFFECTS = {
  'aaguid.add': 'changes',
  'aaguid.remove': 'revokes',
  'account.break-glass': 'revokes',
  'account.change': 'revokes',
  'account.create': 'changes',
  'account.key.add': 'changes',
  'account.key.remove': 'revokes',
  'account.password': 'revokes',
  'account.remove': 'revokes',
  'account.reset': 'revokes',
  'account.rule': 'revokes',
  'account.setup': 'changes',
  'application-key.confirm': 'changes',
  'application-key.issue': 'changes',
  'application-key.revoke': 'revokes',
  'audit.erase': 'revokes',
  'audit.key': 'changes',
  'break-glass': 'changes',
  'console.sign-in': 'changes',
  'console.sign-out': 'changes',
  'console.sign-out-everywhere': 'changes',
  'credential.delete': 'revokes',
  'credential.disable': 'revokes',
  'credential.enable': 'changes',
  'database.restore': 'changes',
  'deletion.undo': 'changes',
  'group.change': 'revokes',
  'group.create': 'changes',
  'group.delete': 'revokes',
  'finding.decide': 'changes',
  'invitation.begin': 'changes',
  'invitation.issue': 'changes',
  'invitation.key': 'changes',
  'invitation.revoke': 'revokes',
  'invoice.cancel': 'changes',
  'invoice.issue': 'changes',
  'mds.upload': 'changes',
  'model.disable': 'revokes',
  'model.disable.stop': 'changes',
  'model.disable.undo': 'changes',
  'my-keys.delete': 'revokes',
  'my-keys.rename': 'changes',
  'my-keys.report': 'revokes',
  'oidc-client.change': 'revokes',
  'oidc-client.create': 'changes',
  'oidc-client.remove': 'revokes',
  'oidc-client.rotate': 'revokes',
  'oidc-keys.rotate': 'changes',
  'relying-party.change': 'revokes',
  'relying-party.create': 'changes',
  'relying-party.remove': 'revokes',
  'secrets.reseal': 'changes',
  'signing-key.revoke': 'revokes',
  'signing-key.rotate': 'revokes',
  'tenant.change': 'changes',
  'tenant.create': 'changes',
  'tenant.remove': 'revokes',
  'ticket.issue': 'changes',
  'ticket.revoke': 'revokes',
  'user.change': 'changes',
  'user.create': 'changes',
  'user.delete': 'revokes',
  'user.disable': 'revokes',
  'user.enable': 'changes',
  'user.erase': 'revokes',
  'user.groups': 'revokes',
  'user.link': 'changes',
  'user.rename': 'changes',
  'user.suspend': 'revokes',
  'user.unsuspend': 'changes',
  'users.change': 'changes',
  'users.change-list': 'revokes',
  'users.change-list.stop': 'changes',
  'users.delete-list': 'revokes',
  'users.delete-list.stop': 'changes',
  'users.export': 'changes',
  'users.import': 'changes',
  'users.import.part': 'changes',
  'users.import.try': 'changes',
  'webhook.change': 'changes',
  'webhook.create': 'changes',
  'webhook.forget': 'changes',
  'webhook.remove': 'revokes',
  'webhook.resend': 'changes',
  'webhook.rotate': 'revokes',
  'webhook.test': 'changes',
} as const;

/** The name of an action. It never changes, since searches and alarms depend on it. */
export type AuditAction = keyof typeof ACTION_EFFECTS;

export const AUDIT_ACTIONS = Object.keys(ACTION_EFFECTS) as AuditAction[];

/** Whether restoring a backup undoes the action; `false` for an action of earlier versions. */
export const isRevoking = (action: string): boolean =>
  ACTION_EFFECTS[action as AuditAction] === 'revokes';

/** The content of a row, as reported by the caller. External text is stored unchanged. */
export interface AuditEntry {
  /** The name of the account, or `cli` for the command line. */
  readonly account: string;
  readonly role: string;
  /** The client's address; empty for the command line. */
  readonly address: string;
  readonly action: AuditAction;
  readonly tenant?: string | undefined;
  readonly relyingParty?: string | undefined;
  /** The target of the action: a user name, a filter, a domain. */
  readonly target?: string | undefined;
  readonly result: 'ok' | 'refused';
  /** The error code of a refusal, if it has one. */
  readonly code?: string | undefined;
  readonly requestId: string;
  /** A few further facts; never a secret. */
  readonly detail?: AuditDetail | undefined;
}

export type AuditDetail = Readonly<Record<string, string | number | boolean>>;
