import { Column, Entity, PrimaryColumn } from 'typeorm';
import { tableOf } from './table.js';

@Entity('plain')
class Plain {
  @PrimaryColumn({ type: 'integer' })
  id!: number;
}

@Entity('with_list')
class WithList extends Plain {
  @Column({ type: 'text' })
  list!: string;
}

@Entity('with_from')
class WithFrom extends Plain {
  @Column({ type: 'text' })
  from!: string;
}

@Entity('with_scope')
class WithScope extends Plain {
  @Column({ type: 'text' })
  scope!: string;
}

describe('a table for statements', () => {
  it.each([
    ['list', WithList],
    ['from', WithFrom],
    ['scope', WithScope],
  ])(
    'throws for a column named %s, which would replace a member of the table',
    (column, entity) => {
      expect(() => tableOf<Plain>(entity)).toThrow(
        `${entity.name} has a column of a reserved name: ${column}.`,
      );
    },
  );

  it('names the columns of an entity without such a name', () => {
    expect(tableOf(Plain).list('id')).toBe('id');
  });
});
