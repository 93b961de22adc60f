import { Reading, type Step, type SqlValue } from './commit/unit.js';
import type { Expression } from './entities/table.js';

export type NoParams = Record<never, never>;

/** A value for `:name`; a boolean is stored as 1 or 0. */
export type Param = SqlValue | boolean;

/** A value, values for `:...names`, or rows for `:...rows[…]`. */
type Parameter = Param | readonly SqlValue[] | readonly object[];
export type Parameters<P> = { readonly [K in keyof P]: Parameter };

/** The input of drivers: a text with `?` for each value. */
export interface BoundStatement {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

/** The texts around the parameters; there is one parameter less. */
interface Template {
  readonly texts: readonly string[];
  readonly markers: readonly Marker[];
}

interface Marker {
  readonly name: string;
  readonly isList: boolean;
  /** The part that is repeated for each row. */
  readonly row: Template | undefined;
}

/** How long a statement or a transaction may take on a database server, with retries and the wait for a connection. */
export const DATABASE_PATIENCE_MS = 2500;

export interface StatementOptions {
  /** How long it may take on a database server, in ms; longer for queries that only jobs run. */
  readonly patienceMs?: number;
  /**
   * Finds few rows by a key, quickly: on a database server it may share a round trip with others. It is one
   * SELECT, or a UNION ALL of several, without ORDER BY.
   */
  readonly small?: boolean;
}

/** The parameters of a call; absent if the statement has none. */
export type StatementArguments<Params> = keyof Params extends never ? [] : [params: Params];

/** Matches a string literal, which contains no parameters, or a parameter. */
const TOKENS = /('[^']*'|:\.\.\.\w+(?:\[[^\]]*\])?|:[a-z]\w*)/i;
const MARKER = /^:(\.\.\.)?([a-z]\w*)(?:\[([^\]]*)\])?$/i;

/** See `sql`. The named parameters are compiled to positions once, since only SQLite supports names. */
export class Statement<Params extends Parameters<Params> = NoParams, Row = unknown> {
  private readonly template: Template;
  private readonly hasLists: boolean;
  /** The compiled texts by the lengths of the lists: there are few. */
  private readonly compiled = new Map<string, string>();

  constructor(
    text: string,
    readonly options: StatementOptions,
  ) {
    if (text.includes('?')) throw new Error(`A statement takes its parameters by name: ${text}`);
    this.template = templateOf(text);
    this.hasLists = this.template.markers.some(({ isList }) => isList);
  }

  /**
   * The text and the values by position.
   *
   * @throws if a value is missing
   */
  bind(params: Params): BoundStatement {
    const values: SqlValue[] = [];
    const lengths = this.template.markers.map((marker) => collect(marker, values, params));
    const key = this.hasLists ? lengths.join() : '';
    let text = this.compiled.get(key);
    if (text === undefined) {
      text = sqlText(this.template, lengths);
      this.compiled.set(key, text);
    }
    return { sql: text, params: values };
  }

  /** A step that may touch any number of rows. */
  step(params: Params): Step {
    return this.bind(params);
  }

  /** A step that must touch at least this many rows; otherwise its unit is not stored. */
  mustChange(params: Params, rows = 1): Step {
    return { ...this.bind(params), mustChange: rows };
  }

  reading(params: Params): Reading<Row> {
    const bound = this.bind(params);
    return new Reading<Row>(bound.sql, bound.params);
  }
}

/**
 * A statement with named parameters. `:name` takes a value, and `IN (:...names)` a list, whose last element is
 * repeated so that there are few texts. `VALUES :...rows[:id, :name]` is repeated in parentheses for each row;
 * its names are properties of the row, or else parameters of the statement.
 *
 * @param text one of a fixed set, since drivers keep each for the lifetime of the process
 */
export const sql = <Params extends Parameters<Params> = NoParams, Row = unknown>(
  text: string,
  options: StatementOptions = {},
) => new Statement<Params, Row>(text, options);

/** The expressions of a SELECT by the names that they have in rows. */
export type SelectList = Readonly<Record<string, Expression<unknown>>>;

type ListedRow<List> = {
  readonly [Name in keyof List]: List[Name] extends Expression<infer T> ? T : never;
};

/** The rows of a statement, or of a select list: `RowOf<typeof STATEMENT>`. */
export type RowOf<Source> = Source extends { reading(params: never): Reading<infer Row> }
  ? Row
  : ListedRow<Source>;

/**
 * A statement that reads, in two steps: `select(list).from<Params>(text)`. The list decides the names and types of its
 * rows. The text follows FROM; see `sql` for its parameters.
 */
export const select = <List extends SelectList>(list: List, distinct = '') => ({
  from: <Params extends Parameters<Params> = NoParams>(text: string, options?: StatementOptions) =>
    sql<Params, ListedRow<List>>(`SELECT ${distinct}${columnsText(list)} FROM ${text}`, options),
});

export const selectDistinct = <List extends SelectList>(list: List) => select(list, 'DISTINCT ');

/** `u.id, u.display_name AS displayName`, for a SELECT within a statement. */
export const columnsText = (list: SelectList): string =>
  Object.entries(list)
    .map(([name, text]) => (COLUMN.exec(text)?.[1] === name ? text : `${text} AS ${name}`))
    .join(', ');

const COLUMN = /^(?:\w+\.)?(\w+)$/;

function templateOf(text: string): Template {
  const pieces = text.split(TOKENS).map((token) => markerOf(token) ?? token);
  const texts = [''];
  const markers: Marker[] = [];
  for (const piece of pieces) {
    if (typeof piece === 'string') texts.push(`${texts.pop() ?? ''}${piece}`);
    else {
      markers.push(piece);
      texts.push('');
    }
  }
  return { texts, markers };
}

function markerOf(token: string): Marker | undefined {
  const [, dots, name, row] = MARKER.exec(token) ?? [];
  if (name === undefined) return undefined;
  return { name, isList: dots !== undefined, row: row === undefined ? row : templateOf(row) };
}

/** Appends the values of a parameter, and returns how many elements it has. */
function collect(marker: Marker, values: SqlValue[], params: object, of?: object): number {
  const { name, isList, row } = marker;
  const value = valueOf(name, params, of);
  if (row) {
    const rows = value as readonly object[];
    for (const one of rows) for (const member of row.markers) collect(member, values, params, one);
    return rows.length;
  }
  if (isList) {
    const list = padList(value as readonly SqlValue[]);
    values.push(...list);
    return list.length;
  }
  values.push(typeof value === 'boolean' ? Number(value) : (value as SqlValue));
  return 1;
}

const sqlText = ({ texts, markers }: Template, lengths: readonly number[]): string =>
  texts.map((text, n) => text + marksOf(markers[n], lengths[n] ?? 0)).join('');

function marksOf(marker: Marker | undefined, length: number): string {
  if (!marker) return '';
  const mark = marker.row ? rowMarkers(marker.row) : '?';
  return Array<string>(length).fill(mark).join(', ');
}

function rowMarkers(row: Template): string {
  const lengths = row.markers.map(() => 1);
  return `(${sqlText(row, lengths)})`;
}

function valueOf(name: string, params: object, row?: object): Parameter {
  const from = row && name in row ? row : params;
  const value = (from as Readonly<Record<string, Parameter | undefined>>)[name];
  if (value === undefined) throw new Error(`A statement has no value for :${name}.`);
  return value;
}

/** Up to this length lists are padded to powers of two, beyond it to multiples of this length. */
const LARGEST_DOUBLING = 1024;

/**
 * The same list with its last element repeated, so that lists after `IN` have few different lengths, and
 * statements few different texts. The condition stays the same.
 */
export function padList<T>(list: readonly T[]): readonly T[] {
  const last = list.at(-1);
  if (last === undefined) return list;
  return [...list, ...Array<T>(paddedLength(list.length) - list.length).fill(last)];
}

const paddedLength = (length: number): number =>
  length > LARGEST_DOUBLING
    ? Math.ceil(length / LARGEST_DOUBLING) * LARGEST_DOUBLING
    : 2 ** Math.ceil(Math.log2(length));
