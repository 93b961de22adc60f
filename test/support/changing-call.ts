import { AuditTrail } from '../../src/audit/audit-trail.js';
import type { AuditAction } from '../../src/audit/audit-entry.js';
import type { ChangingCall } from '../../src/audit/audited.js';
import { OPERATOR_ACCOUNT, type Account } from '../../src/platform/access/accounts/account.js';
import type { TestServer } from './test-server.js';

/** A call for a service that a test uses without HTTP: it stores the change with its row in the audit trail. */
export const changingCall = (
  server: TestServer,
  action: AuditAction,
  account: Account = OPERATOR_ACCOUNT,
): ChangingCall => ({
  account,
  about: () => undefined,
  commit: (change, facts, options) => {
    const caller = { account: account.name, role: account.role, address: '', requestId: 'test' };
    const rows = [facts]
      .flat()
      .map((one) => ({ ...caller, action, ...one, result: 'ok' as const }));
    return server.get(AuditTrail).commit(rows, change, options);
  },
});

/** The call of an administrator who erases a user, for `UserErasure`. */
export const erasureCall = (server: TestServer) => {
  const { commit } = changingCall(server, 'user.erase');
  return { account: 'admin', role: 'admin', address: '', requestId: 'erasing', commit } as const;
};
