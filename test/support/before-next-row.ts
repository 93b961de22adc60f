import { jest } from '@jest/globals';
import { AuditTrail } from '../../src/audit/audit-trail.js';
import type { TestServer } from './test-server.js';

/** Does something when all is read for the next change that has an audit row. */
export function beforeNextRow(server: TestServer, action: () => Promise<void>): void {
  const trail = server.get(AuditTrail);
  const commit = trail.commit.bind(trail);
  jest.spyOn(trail, 'commit').mockImplementationOnce(async (...change) => {
    await action();
    return commit(...change);
  });
}
