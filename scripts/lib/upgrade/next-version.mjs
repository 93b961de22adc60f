/**
 * Simulates a later version: this one with migrations of the three kinds that running instances tolerate. It
 * is started like `dist/main.js`.
 */
import { Table, TableColumn, TableIndex } from 'typeorm';
import { built } from '../migrations.mjs';

const id = { name: 'id', type: 'integer', isPrimary: true };
const note = { name: 'upgrade_note', type: 'varchar', length: '16', isNullable: true };
const columnNames = ['relying_party_id', 'upgrade_note'];
const CHANGES = [
  (runner) => runner.createTable(new Table({ name: 'upgrade_notes', columns: [id] })),
  (runner) => runner.addColumn('credentials', new TableColumn(note)),
  (runner) =>
    runner.createIndex('credentials', new TableIndex({ name: 'ix_upgrade_note', columnNames })),
];

const { MIGRATIONS } = await built('platform/database/migrations/index.js');
for (const [n, up] of CHANGES.entries()) {
  class Change {
    up = up;
    async down() {}
  }
  Object.defineProperty(Change, 'name', { value: `UpgradeNote999999999999${n}` });
  MIGRATIONS.push(Change);
}
await built('unbundled.js');
