import { readFileSync } from 'node:fs';
import { AUDIT_ACTIONS } from '../../audit/audit-entry.js';
import { differencesBetween } from '../../audit/differences.js';
import { projectPath } from '../../platform/project.js';
import { auditChanges, shownFacts } from './audit-facts.js';

describe('the page of the audit trail', () => {
  it('the page of the audit trail has a text for each action', () => {
    const english = readFileSync(projectPath('views/languages/en.json'), 'utf8');
    const { audit } = JSON.parse(english) as { readonly audit: { readonly actions: object } };
    const missing = AUDIT_ACTIONS.filter(
      (action) => !Object.hasOwn(audit.actions, action.replaceAll('.', '-')),
    );
    expect(missing).toEqual([]);
  });

  it('the page of the audit trail calls the tenants of an account by their display names', () => {
    const nameOfTenant = (name: string) => (name === 'acme' ? 'Quince & Sons' : name);
    const [fact] = shownFacts({ tenants: 'acme, globex' }, { nameOfTenant });
    expect(fact?.value).toBe('Quince & Sons, globex');
    const detail = differencesBetween({ tenants: ['globex'] }, { tenants: ['acme', 'globex'] });
    const [change] = auditChanges(detail, { nameOfTenant });
    expect([change?.before, change?.after]).toEqual(['globex', 'Quince & Sons, globex']);
  });
});
