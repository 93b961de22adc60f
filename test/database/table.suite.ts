import { readFileSync } from 'node:fs';
import { Column, DataSource, Entity, PrimaryColumn } from 'typeorm';
import { newId } from '../../src/platform/database/row-ids.js';
import {
  padList,
  select,
  selectDistinct,
  type RowOf,
} from '../../src/platform/database/statement.js';
import { Secret } from '../../src/platform/database/entities/server.entity.js';
import { COUNT, orNull, orNullAll, tableOf } from '../../src/platform/database/entities/table.js';
import { scope } from '../../src/platform/database/scope.js';
import { SET_KEY_STATE } from '../../src/users/credentials/key-state.statements.js';
import { keyStateSteps } from '../../src/users/credentials/key-state.js';
import { Credential } from '../../src/users/credentials/credential.entity.js';
import { RevocationListEntity } from '../../src/trust/revocation/revocation-list.entity.js';
import { User } from '../../src/users/user.entity.js';
import { Ticket } from '../../src/fido/tickets/ticket.entity.js';
import { projectPath } from '../../src/platform/project.js';
import { EVERY_DATABASE } from '../support/databases.js';
import { sources } from '../support/schema/statements.js';
import { TestServer } from '../support/test-server.js';

describe('a table for statements', () => {
  const c = tableOf(Credential, 'c');

  it('a table names its columns as the entity does', () => {
    expect(c.from).toBe('credentials c');
    expect(c.credentialHash).toBe('c.credential_hash');
    expect(tableOf(User).list('id', 'displayName')).toBe('id, display_name');
  });

  it('a statement that reads has the columns of its select list, by property name', () => {
    const list = { ...c.pick('id', 'userId'), key: c.publicKey, ...COUNT };
    expect(select(list).from(c.from).bind({}).sql).toBe(
      'SELECT c.id, c.user_id AS userId, c.public_key AS key, COUNT(*) AS n FROM credentials c',
    );
    expect(selectDistinct(c.pick('id')).from(c.from).bind({}).sql).toBe(
      'SELECT DISTINCT c.id FROM credentials c',
    );
  });

  it('a row has the types of the select list, as drivers return them', () => {
    const u = tableOf(User, 'u');
    const list = { ...u.pick('username', 'displayName'), enabled: orNull(c.enabled), ...COUNT };
    const row: RowOf<typeof list> = {
      username: Buffer.from('anna'),
      displayName: 'Anna',
      enabled: 1,
      n: 2,
    };
    expect(Object.keys(row)).toEqual(Object.keys(list));
    // @ts-expect-error The list does not contain the column.
    expect(row.subject).toBeUndefined();
    // @ts-expect-error The driver returns bytes, which the entity decodes.
    const name: string = row.username;
    // @ts-expect-error The driver returns 0 or 1; `null` if the user has no key.
    const isEnabled: boolean = row.enabled;
    expect({ name, isEnabled }).toEqual({ name: row.username, isEnabled: 1 });
    // @ts-expect-error The entity does not have the column.
    expect(u.pick('nickname')).toEqual({ nickname: 'u.nickname' });
    // @ts-expect-error The type of a plain text is unknown.
    expect(select({ n: 'COUNT(*)' })).toBeDefined();
  });

  it('a row has all columns of a table after LEFT JOIN, or null for each', () => {
    const list = orNullAll(c.pick('deviceName', 'enabled', 'lastUsedAt'));
    expect(list).toEqual(c.pick('deviceName', 'enabled', 'lastUsedAt'));
    const none: RowOf<typeof list> = { deviceName: null, enabled: null, lastUsedAt: null };
    // @ts-expect-error The user may have no key.
    const name: string = none.deviceName;
    // @ts-expect-error The driver returns 0 or 1.
    const other: RowOf<typeof list> = { ...none, enabled: true };
    expect({ name, ...other }).toMatchObject({ name: null, enabled: true });
  });

  it('each property that TypeORM converts has the type that the database stores', () => {
    for (const file of sources.filter((name) => name.endsWith('.entity.ts'))) {
      const converted = readFileSync(projectPath(`src/${file}`), 'utf8').matchAll(
        /Column\([^@]*?(?:utf8Bytes|JSON_TEXT)[^@]*?!: ([^;]+);/g,
      );
      for (const [, type] of converted) expect(type).toMatch(/^Encoded$|Json<|StoredAs</);
    }
  });

  it('a table uses the column names of an entity whose properties have other names', () => {
    @Entity('renamed')
    class Renamed {
      @PrimaryColumn({ type: 'integer' })
      id!: number;

      @Column({ type: 'integer', name: 'old_name' })
      newName!: number;
    }
    const table = tableOf(Renamed);
    expect(table.names).toEqual(['id', 'newName']);
    expect(table.except('id')).toEqual(['newName']);
    expect(table.newName).toBe('old_name');
    expect(table.row('id', 'newName')).toBe('renamed (id, old_name) VALUES (:id, :newName)');
    expect(table.rows('newName')).toBe('renamed (old_name) VALUES :...rows[:newName]');
  });

  it('a table has one condition for its relying party, with the parameters of `scope`', () => {
    const rp = { id: Buffer.alloc(16, 1), tenantId: Buffer.alloc(16, 2) };
    expect(c.scope).toBe('c.relying_party_id = :relyingPartyId AND c.tenant_id = :tenantId');
    expect(scope(rp)).toEqual({ relyingPartyId: rp.id, tenantId: rp.tenantId });
  });

  it('accepts rows without a tenant in a table that got this column later', () => {
    expect(tableOf(Ticket).scope).toBe(
      'relying_party_id = :relyingPartyId AND (tenant_id = :tenantId OR tenant_id IS NULL)',
    );
  });

  it('throws for the condition of a table without a relying party or an entity', () => {
    expect(() => tableOf(Secret).scope).toThrow('Secret is not scoped.');
    expect(() =>
      tableOf(
        class Nothing {
          readonly id = 0;
        },
      ),
    ).toThrow('Nothing is no entity.');
  });

  it.each(['sqlite', 'mysql'] as const)(
    'the changes of 1 to 1,000 credentials have eleven statement texts on %s',
    (kind) => {
      const lists = Array.from({ length: 1000 }, (_, n) =>
        Array.from({ length: n + 1 }, () => newId()),
      );
      const none = {
        disablingJson: null,
        disabledByRule: null,
        acceptedBy: null,
        refusedWith: null,
      };
      const keysOf = (ids: readonly Buffer[]) =>
        ids.map((id) => ({ key: { id, enabled: true, ...none }, state: none }));
      const rp = { id: newId(), tenantId: newId() };
      const texts = lists.flatMap((ids) =>
        keyStateSteps(SET_KEY_STATE[kind], rp, keysOf(ids)).map(({ sql }) => sql),
      );
      expect(new Set(texts).size).toBe(11);
      for (const ids of lists) expect(new Set(padList(ids))).toEqual(new Set(ids));
    },
  );

  it.each(EVERY_DATABASE)(
    'a table for statements has the same names as in TypeORM on %s',
    async (on) => {
      const server = await TestServer.start({ on });
      try {
        const entities = server.get(DataSource).entityMetadatas;
        for (const { target, tableName, columns } of entities) {
          // `tableOf` refuses its column `list`; only its repository reads it.
          if (target === RevocationListEntity) continue;
          const table = tableOf(target as new () => object);
          expect(table.from).toBe(tableName);
          const names = columns.map(({ propertyName, databaseName }) => [
            propertyName,
            databaseName,
          ]);
          expect(table).toMatchObject(Object.fromEntries(names));
        }
      } finally {
        await server.stop();
      }
    },
  );
});
