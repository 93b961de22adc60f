import { newId } from '../../src/database/columns.js';
import { dataSourceOptions } from '../../src/database/data-source.js';
import { EntitySource } from '../../src/database/entities/entity-source.js';
import { migrate } from '../../src/database/migrate.js';
import { MIGRATIONS } from '../../src/database/migrations/index.js';
import { DATABASES, createDatabase } from '../support/databases.js';

const [tenantId, rpId, userId] = [newId(), newId(), newId()];

/** A user of the version before, and what hangs on it. */
const ROWS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  tenants: { id: tenantId, name: 'acme', display_name: 'Acme', created_at: 1, changed_at: 1 },
  relying_parties: {
    id: rpId,
    tenant_id: tenantId,
    domain: 'acme.example',
    name: 'Acme',
    origins: '[]',
    policy: '{}',
    created_at: 1,
    changed_at: 1,
  },
  users: {
    id: userId,
    tenant_id: tenantId,
    relying_party_id: rpId,
    username: Buffer.from('anna'),
    display_name: 'Anna',
    user_handle: Buffer.alloc(32, 1),
    created_at: 1,
  },
  credentials: {
    id: newId(),
    tenant_id: tenantId,
    relying_party_id: rpId,
    user_id: userId,
    credential_id: Buffer.alloc(16, 2),
    credential_hash: Buffer.alloc(32, 3),
    public_key: Buffer.alloc(77, 4),
    algorithm: -7,
    sign_count: 0,
    aaguid: Buffer.alloc(16),
    device_name: 'Key',
    keypair: null,
    transports: '[]',
    attestation_format: 'none',
    attestation_type: 'none',
    attestation_trusted: 0,
    user_verified: 1,
    backup_eligible: 0,
    backed_up: 0,
    enabled: 1,
    registered_at: 1,
    last_used_at: null,
    last_ceremony: Buffer.alloc(16),
  },
};

it.each(DATABASES)(
  'the subject comes to users who are there, and takes none, on %s',
  async (on) => {
    const database = await createDatabase(on);
    const migrations = MIGRATIONS.filter(({ name }) => !name.includes('Subject'));
    const before = new EntitySource({ ...dataSourceOptions(database.url), migrations });
    const after = new EntitySource(dataSourceOptions(database.url));
    try {
      await migrate(await before.initialize());
      for (const [table, row] of Object.entries(ROWS)) {
        const names = Object.keys(row);
        const values = `VALUES (${names.map(() => '?').join(', ')})`;
        await before.query(
          `INSERT INTO ${table} (${names.join(', ')}) ${values}`,
          Object.values(row),
        );
      }
      await before.destroy();
      await migrate(await after.initialize());
      const users = await after.query<object[]>('SELECT * FROM users');
      expect(users).toMatchObject([{ id: userId, subject: null }]);
      expect(await after.query<object[]>('SELECT * FROM credentials')).toMatchObject([
        { user_id: userId },
      ]);
    } finally {
      if (before.isInitialized) await before.destroy();
      await after.destroy();
      await database.remove();
    }
  },
);
