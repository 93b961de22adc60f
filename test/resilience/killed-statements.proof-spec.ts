import { readFileSync } from 'node:fs';
import { projectPath } from '../../src/platform/project.js';
import type { Document } from '../support/api/openapi.js';
import { takeStoredOperations } from '../support/crash/killed-changes.js';
import './killed/killed-ceremonies.suite.js';
import './killed/killed-imports-and-invoices.suite.js';
import './killed/killed-models.suite.js';
import './killed/killed-tenancy.suite.js';
import './killed/killed-user-changes.suite.js';

const { paths } = JSON.parse(readFileSync(projectPath('dist/openapi.json'), 'utf8')) as Document;
/** A GET that changes something if its parameters say so. */
const CHANGING_GETS = ['manageUsers', 'getInvoice'];
/** The operations that may change something; two paths with one handler count once. */
const CHANGING = Object.values(paths)
  .flatMap((methods) => Object.entries(methods))
  .map(([method, { operationId: id = '' }]) => ({ method, id }))
  .filter(({ method, id }) => method !== 'get' || CHANGING_GETS.includes(id))
  .map(({ id }) => id)
  .filter((id) => !id.endsWith('Alias'));

/** Operations by another method than GET that need no row here, each with the reason. */
const EXEMPT: Readonly<Record<string, string>> = {
  beginRegistration: 'the ceremony expires',
  giveUpRegistration: 'counts a given-up ceremony',
  beginAuthentication: 'the ceremony expires',
  giveUpAuthentication: 'counts a given-up ceremony',
  readInvitation: 'reads',
  inviteModelHolders: 'stores its links as the list of the page does',
  testWebhook: 'sends a message',
  tryPolicy: 'reads',
  uploadList: 'stores a list that expires',
};

/** What makes a change that no operation makes. */
const WITHOUT_OPERATION = ['a form', 'a command', 'SCIM'];

/** The operations whose changes the suites store: all are declared when the imports above are done. */
const TESTED = takeStoredOperations();

/**
 * SQLite undoes a unit in one turn of the event loop; on a database server a process can end between any two messages.
 */
describe('the suites of killed processes', () => {
  it('the suites of killed processes cover each operation of the OpenAPI document that changes something', () => {
    const exempt = Object.keys(EXEMPT);
    expect(CHANGING.filter((id) => !TESTED.includes(id) && !exempt.includes(id))).toEqual([]);
    expect(exempt.filter((id) => TESTED.includes(id) || !CHANGING.includes(id))).toEqual([]);
    const known = [...CHANGING, ...WITHOUT_OPERATION];
    expect(TESTED.filter((id) => !known.includes(id))).toEqual([]);
  });
});
