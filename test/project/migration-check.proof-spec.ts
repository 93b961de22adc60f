import { spawnSync } from 'node:child_process';
import { EVERY_DATABASE } from '../support/databases.js';

/** A Tenant and a Secret that have one column more each than the migrations made. */
const CHANGED = '--import ./test/support/schema/changed-entity.mjs';

/** Runs the script as npm does, with the services that the tests have. */
function runScript(word: string, entities = '') {
  const env = { ...process.env, NODE_OPTIONS: entities };
  const { status, stdout, stderr } = spawnSync('node', ['scripts/migration.mjs', word], {
    env,
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

describe('npm run migration:…', () => {
  it('migration:check succeeds on each database where entities and migrations agree', () => {
    const { status, output } = runScript('check');
    expect(output.match(/entities and migrations agree/g)).toHaveLength(EVERY_DATABASE.length);
    expect(status).toBe(0);
  });

  it('migration:check fails for a column that only an entity has', () => {
    const { status, output } = runScript('check', CHANGED);
    expect(output).toContain('entities and migrations differ');
    expect(output.match(/the migrations lack what the entities say/g)).toHaveLength(
      EVERY_DATABASE.length,
    );
    expect(status).toBe(1);
  });

  it('migration:generate prints the statements both ways and the number of the migration', () => {
    const { status, output } = runScript('generate', CHANGED);
    expect(output).toMatch(/"colour" integer NOT NULL/);
    expect(output).toContain('ALTER TABLE "secrets" ADD COLUMN "scent" integer');
    expect(output).toContain('ALTER TABLE "secrets" DROP COLUMN "scent"');
    expect(output).toMatch(/-- and back:/);
    expect(output).toMatch(/the next migration is number \d{13}$/m);
    if (EVERY_DATABASE.includes('MariaDB')) {
      expect(output).toContain('ALTER TABLE `tenants` ADD `colour` int NOT NULL;');
      expect(output).toContain('ALTER TABLE `tenants` DROP COLUMN `colour`;');
    }
    expect(status).toBe(0);
  });
});
