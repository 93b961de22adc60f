import { OPERATOR_ACCOUNT } from '../../src/platform/access/accounts/account.js';
import type { AuditFacts } from '../../src/audit/request-rows.js';
import type { RelyingParty } from '../../src/tenancy/relying-party.js';
import { changingCall } from './changing-call.js';
import type { TestServer } from './test-server.js';

/** A call of the account `admin` that starts or changes batches without HTTP. */
export function batchCall(server: TestServer) {
  const action = 'users.change';
  const account = { ...OPERATOR_ACCOUNT, name: 'admin' };
  const caller = { account: 'admin', role: account.role, address: '', requestId: 'r' };
  return {
    ...changingCall(server, action, account),
    request: { ip: '' },
    requestId: 'r',
    row: (facts: AuditFacts) => ({ ...caller, action, ...facts, result: 'ok' }) as const,
  };
}

/** The same for a model. */
export const modelCall = (
  server: TestServer,
  relyingParties: readonly RelyingParty[],
  aaguid: string,
) => ({ ...batchCall(server), omitRow: () => undefined, relyingParties, aaguid });
