import { sql } from './statement.js';

const id = Buffer.from('id');

describe('a statement', () => {
  it('a statement accepts its parameters in any order and repeatedly', () => {
    const use = sql<{ id: Buffer; count: number; by: string | null }>(
      'UPDATE keys SET count = :count, by = :by WHERE id = :id AND count < :count',
    );
    const text = 'UPDATE keys SET count = ?, by = ? WHERE id = ? AND count < ?';
    expect(use.bind({ id, count: 2, by: null })).toEqual({ sql: text, params: [2, null, id, 2] });
  });

  it('sends a boolean parameter as 1 or 0', () => {
    const set = sql<{ on: boolean; off: boolean }>('UPDATE t SET a = :on, b = :off');
    expect(set.bind({ on: true, off: false }).params).toEqual([1, 0]);
  });

  it('ignores members of a row that the statement does not name', () => {
    const row = { id, name: 'other' };
    expect(sql<{ id: Buffer }>('SELECT 1 WHERE id = :id').bind(row).params).toEqual([id]);
  });

  it('leaves colons in literals, and colons without a name, unchanged', () => {
    const text = "SELECT ':a', 'it''s :b', x::1, '12:30', \"c\" WHERE d = :d";
    expect(sql<{ d: number }>(text).bind({ d: 1 })).toEqual({
      sql: text.replace(':d', '?'),
      params: [1],
    });
  });

  it('pads a list to a power of two by repeating its last element', () => {
    const find = sql<{ ids: readonly number[]; limit: number }>(
      'SELECT 1 WHERE id IN (:...ids) LIMIT :limit',
    );
    expect(find.bind({ ids: [1, 2, 3], limit: 9 })).toEqual({
      sql: 'SELECT 1 WHERE id IN (?, ?, ?, ?) LIMIT ?',
      params: [1, 2, 3, 3, 9],
    });
  });

  it('repeats a group for each row, with values of the row or of the statement', () => {
    const insert = sql<{ rp: number; rows: readonly { id: number; name: string | null }[] }>(
      'INSERT INTO t (rp, id, name) VALUES :...rows[:rp, :id, COALESCE(:name, (SELECT 1))]',
    );
    const rows = [
      { id: 1, name: 'a' },
      { id: 2, name: null },
    ];
    expect(insert.bind({ rp: 7, rows })).toEqual({
      sql: 'INSERT INTO t (rp, id, name) VALUES (?, ?, COALESCE(?, (SELECT 1))), (?, ?, COALESCE(?, (SELECT 1)))',
      params: [7, 1, 'a', 7, 2, null],
    });
  });

  it('makes a step, a step that must change n rows, or a read', () => {
    const find = sql<{ id: Buffer }>('SELECT 1 WHERE id = :id');
    const bound = { sql: 'SELECT 1 WHERE id = ?', params: [id] };
    expect(find.step({ id })).toEqual(bound);
    expect(find.mustChange({ id })).toEqual({ ...bound, mustChange: 1 });
    expect(find.mustChange({ id }, 3)).toEqual({ ...bound, mustChange: 3 });
    expect(find.reading({ id })).toMatchObject(bound);
  });

  it('a statement has the same text for each call, so that drivers reuse the prepared one', () => {
    const find = sql<{ id: Buffer }>('SELECT 1 WHERE id = :id');
    expect(find.bind({ id }).sql).toBe(find.bind({ id }).sql);
  });

  it('a statement neither compiles nor runs without a parameter', () => {
    const find = sql<{ id: Buffer }>('SELECT 1 WHERE id = :id');
    // @ts-expect-error `id` is missing.
    expect(() => find.bind({})).toThrow('A statement has no value for :id.');
    // @ts-expect-error `id` may not be undefined.
    expect(() => find.bind({ id: undefined })).toThrow('A statement has no value for :id.');
  });

  it('a statement does not compile with a parameter of another type', () => {
    const find = sql<{ id: Buffer; at: number; ids: readonly Buffer[] }>('SELECT 1');
    // @ts-expect-error A text is not a Buffer.
    find.bind({ id: 'id', at: 1, ids: [id] });
    // @ts-expect-error A list is not a value.
    find.bind({ id, at: [1], ids: [id] });
    // @ts-expect-error No driver takes a date.
    sql<{ at: Date }>('SELECT 1');
    expect(find.bind({ id, at: 1, ids: [id] }).params).toEqual([]);
  });

  it('refuses a statement with positional parameters', () => {
    expect(() => sql('SELECT 1 WHERE id = ?')).toThrow('takes its parameters by name');
  });
});
