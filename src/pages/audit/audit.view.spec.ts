import { readFileSync } from 'node:fs';
import { AUDIT_ACTIONS } from '../../audit/audit-entry.js';
import { projectPath } from '../../platform/project.js';

describe('the page of the audit trail', () => {
  it('the page of the audit trail has a text for each action', () => {
    const english = readFileSync(projectPath('views/languages/en.json'), 'utf8');
    const { audit } = JSON.parse(english) as { readonly audit: { readonly actions: object } };
    const missing = AUDIT_ACTIONS.filter(
      (action) => !Object.hasOwn(audit.actions, action.replaceAll('.', '-')),
    );
    expect(missing).toEqual([]);
  });
});
