import { readFileSync } from 'node:fs';
import { projectPath } from '../../src/platform/project.js';
import { entitiesWith, isUnscoped, tablesWith } from '../support/schema/scoped.js';
import { loadEntities, loadStatements, sources } from '../support/schema/statements.js';

let tables: string[];
let statements: ReadonlyMap<string, string>;
beforeAll(async () => {
  await loadEntities();
  tables = tablesWith('relyingPartyId');
  statements = await loadStatements();
});

it('each table with a relying party has the tenant too', () => {
  expect(tables).toEqual([
    'adoption_days',
    'adoption_targets',
    'attestations',
    'ceremony_counts',
    'clone_alarms',
    'collisions',
    'credentials',
    'deleted_groups',
    'deleted_handles',
    'deleted_keys',
    'deleted_names',
    'deletions',
    'directory_groups',
    'earlier_names',
    'event_batches',
    'events',
    'finding_decisions',
    'findings',
    'further_handles',
    'imports',
    'invitation_keys',
    'invitations',
    'judgements',
    'model_jobs',
    'moves',
    'oidc_clients',
    'oidc_records',
    'receipts',
    'regrouped_users',
    'repeatable_registrations',
    'search_positions',
    'search_words',
    'separate_names',
    'tickets',
    'uploads',
    'usage_active',
    'usage_days',
    'user_groups',
    'users',
  ]);
  expect(tablesWith('tenantId')).toEqual(expect.arrayContaining(tables));
});

it('each statement on a table of relying parties names one, or has its reason in EXCEPTIONS below', () => {
  const unscoped = [...statements].filter(([, text]) => isUnscoped(text, tables));
  expect(statements.size).toBeGreaterThan(60);
  expect(unscoped.map(([name]) => name).sort()).toEqual(Object.values(EXCEPTIONS).flat().sort());
});

it('each use of a repository of rows of relying parties names one, or has its reason in REPOSITORIES below', () => {
  const scoped = new RegExp(
    `InjectRepository\\((?:${entitiesWith('relyingPartyId').join('|')})\\)`,
  );
  const users = sources.filter((file) => {
    if (!file.endsWith('.ts')) return false;
    const text = readFileSync(projectPath(`src/${file}`), 'utf8');
    return scoped.test(text) && !/\.\.\.scope\(|\brelyingPartyId,/.test(text);
  });
  expect(users.sort()).toEqual(Object.keys(REPOSITORIES).sort());
});

it('each constant of `tableOf` is plural for the table, and singular for an alias', () => {
  const text = sources
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(projectPath(`src/${file}`), 'utf8'))
    .join('\n');
  const constants = [...text.matchAll(/^const (\w+) = tableOf\(\w+(, '\w+')?\);/gm)];
  expect(constants.length).toBeGreaterThan(100);
  const wrong = constants.filter(
    ([, name, alias]) => name?.endsWith('s') !== (alias === undefined),
  );
  expect(wrong.map(([line]) => line)).toEqual([]);
});

describe('the rule for statements', () => {
  it.each([
    ['reads by a key alone', 'SELECT id FROM users WHERE id = ?'],
    ['joins by a key alone', 'SELECT 1 FROM tenants t JOIN credentials c ON c.id = ?'],
    ['changes by a key alone', 'UPDATE credentials SET enabled = 0 WHERE id = ?'],
    ['deletes by a key alone', 'DELETE FROM tickets WHERE ticket_hash = ?'],
    ['inserts without the tenant', 'INSERT INTO users (id, relying_party_id) VALUES (?, ?)'],
    ['inserts without the relying party', 'INSERT INTO users (id, tenant_id) VALUES (?, ?)'],
    ['compares relying parties with each other', 'DELETE FROM users WHERE relying_party_id = id'],
  ])('the rule refuses a statement that %s', (_, sql) => {
    expect(isUnscoped(sql, tables)).toBe(true);
  });

  it.each([
    ['names the relying party', 'SELECT 1 FROM users u WHERE u.relying_party_id = ? AND u.id = ?'],
    ['inserts both', 'INSERT INTO users (tenant_id, relying_party_id, id) VALUES (?, ?, ?)'],
    ['is of another table', 'DELETE FROM secrets WHERE name = ?'],
  ])('the rule accepts a statement that %s', (_, sql) => {
    expect(isUnscoped(sql, tables)).toBe(false);
  });
});

/** Statements that are of no single relying party, and why. */
const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  'counted for all relying parties, and grouped by them': [
    'COUNT_USERS',
    'COUNT_CREDENTIALS',
    'COUNT_MODELS',
    'COUNT_USERS_WITH_KEY',
    'USER_OF_KEY',
    'COUNT_BY_KIND',
    'TALLIES',
    'NEWLY_ACTIVE',
    'DAYS_SINCE',
    'MONTHS',
    'USAGE_OF_PERIOD',
    'SIZE_OF_TENANTS',
  ],
  'the metric counts some keys of all tenants': ['COUNT_SOME_FINDINGS'],
  'the job that counts reads the whole ledger': [
    'NTH_EVENT',
    'LAST_EVENT',
    'COUNT_SOME_EVENTS',
    'EVENTS_TO_NUMBER',
    'COUNT_EVENTS',
    'COUNT_NUMBERED',
    'NUMBERED_IDS',
    'OLDEST_SLICE',
    'SLICE_AFTER',
  ],
  'the job that deletes old rows does so for all tenants': [
    'DELETE_COUNTS',
    'DELETE_EVENTS',
    'DELETE_NUMBERS',
    'DELETE_RECEIPTS',
    'ACTIVE_BEFORE',
  ],
  'the job that evaluates keys again does so for all tenants': [
    'FIRST_REGROUPED_USERS',
    'DROP_REGROUPED_USERS',
  ],
  'the job that ends deletions visits all of them': ['DELETIONS_AFTER', 'END_DELETIONS'],
  'the job that completes new names of groups visits all of them': ['UNFINISHED_RENAMES'],
  'the job that deletes old tickets and invitations does so for all tenants': [
    'EXPIRED_REPEATABLE',
    'EXPIRED_TICKETS',
    'EXPIRED_INVITATIONS',
    'REMOVE_REPEATABLE',
    'REMOVE_TICKETS',
    'REMOVE_INVITATIONS',
  ],
  'the job that deletes old sessions and tokens does so for all tenants': [
    'EXPIRED_RECORDS',
    'REMOVE_RECORDS',
  ],
  'the lists belong to one relying party; a line may name a user of its predecessor': [
    'FORGET_NAME',
  ],
  'a restore concerns all tenants': [
    'SOME_TICKETS',
    'SOME_INVITATIONS',
    'SOME_OIDC_RECORDS',
    'DELETE_OIDC_RECORDS',
    'END_INVITATIONS',
  ],
  'finds the keys of the given relying parties, which the caller may see': [
    'OWNERS_OF_HASH',
    'ALARMS_OF_ENABLED_KEYS',
  ],
  'counts some of the given relying parties': ['COUNT_INDEXED'],
  'names no user, only which of the given relying parties have one': [
    'RELYING_PARTIES_WITH_NAME',
    'RELYING_PARTIES_WITH_DELETION',
  ],
  'the job that deletes what closed relying parties left behind': [
    'CLOSED_WITH_USERS',
    'DELETE_CREDENTIALS_OF',
    'DELETE_USERS',
  ],
  'a request may have touched several: the reader leaves out what may not be seen': [
    'EVENTS_BY_REQUEST',
    'CLONE_ALARMS',
    'DELETIONS_OF_OCCASION',
  ],
  'forward over several relying parties: the reader leaves out what may not be seen': [
    'NUMBERS_OF_TENANT',
    'NUMBERS_OF_ALL',
    'EVENTS_BY_IDS',
  ],
};

/** Files that use a scoped table's repository and name no relying party, and why. */
const REPOSITORIES: Readonly<Record<string, string>> = {
  'user-admin/receipts.controller.ts': 'passes the repository and the relying party to findReceipt',
  'user-admin/lists/upload-cleanup.ts': 'the job that deletes lists whose time is over',
};
