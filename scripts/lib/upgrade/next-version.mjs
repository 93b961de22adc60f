/**
 * Simulates a later version: this one with migrations of the three kinds that running instances tolerate. It
 * is started like `dist/main.js`.
 */
import { Table, TableColumn, TableIndex } from 'typeorm';
import { built } from '../migrations.mjs';

class CreateUpgradeNotes9999999999991 {
  async up(runner) {
    const id = { name: 'id', type: 'integer', isPrimary: true };
    await runner.createTable(new Table({ name: 'upgrade_notes', columns: [id] }));
  }

  async down() {}
}

class AddUpgradeNote9999999999992 {
  async up(runner) {
    const note = { name: 'upgrade_note', type: 'varchar', length: '16', isNullable: true };
    await runner.addColumn('credentials', new TableColumn(note));
  }

  async down() {}
}

class IndexUpgradeNote9999999999993 {
  async up(runner) {
    const columnNames = ['relying_party_id', 'upgrade_note'];
    const index = new TableIndex({ name: 'ix_upgrade_note', columnNames });
    await runner.createIndex('credentials', index);
  }

  async down() {}
}

const { MIGRATIONS } = await built('platform/database/migrations/index.js');
MIGRATIONS.push(
  CreateUpgradeNotes9999999999991,
  AddUpgradeNote9999999999992,
  IndexUpgradeNote9999999999993,
);
await built('unbundled.js');
