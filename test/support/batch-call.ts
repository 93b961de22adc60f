import type { AuditedCall } from '../../src/audit/audited.js';
import type { RelyingParty } from '../../src/tenancy/relying-party.js';
import { changingCall } from './changing-call.js';
import type { TestServer } from './test-server.js';

/** A call of the account `admin` that starts or changes batches without HTTP. */
export function batchCall(server: TestServer): Pick<AuditedCall, 'commit' | 'rows'> {
  const caller = { account: 'admin', role: 'admin', address: '', requestId: 'r' };
  const { commit } = changingCall(server, 'users.change');
  const of = () => ({ ...caller, action: 'users.change', result: 'ok' }) as const;
  return { commit, rows: { requestId: 'r', of } };
}

/** The same for a model. */
export const modelCall = (
  server: TestServer,
  relyingParties: readonly RelyingParty[],
  aaguid: string,
) => ({ ...batchCall(server), relyingParties, aaguid });
