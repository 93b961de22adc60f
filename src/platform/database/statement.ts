import { Reading } from './commit/unit.js';
import type { Step, Value } from './commit/unit.js';

/** Parameters of a statement that takes none. */
export type NoParams = Record<never, never>;

/** A value for `:name`, values for `:...names`, or rows for `:...rows[…]`. */
type Parameter = Value | readonly Value[] | readonly object[];
export type Parameters<P> = { readonly [K in keyof P]: Parameter };

/** What drivers take: a text with `?` for each value. */
interface Bound {
  readonly sql: string;
  readonly params: readonly Value[];
}

interface Marker {
  readonly name: string;
  readonly isList: boolean;
  /** What is repeated for each row. */
  readonly row: readonly Piece[] | undefined;
}
type Piece = string | Marker;

export interface StatementOptions {
  /** How long it may take on a database server, in ms (2500); longer for queries that only jobs run. */
  readonly patienceMs?: number;
  /**
   * Finds few rows by a key, quickly: on a database server it may share a round trip with others. It is one
   * SELECT, or a UNION ALL of several, without ORDER BY.
   */
  readonly small?: boolean;
}

/** The parameters of a call; absent where the statement takes none. */
export type Arguments<Params> = keyof Params extends never ? [] : [params: Params];

/** A string literal, in which nothing is a parameter, or a parameter. */
const TOKENS = /('[^']*'|:\.\.\.\w+(?:\[[^\]]*\])?|:[a-z]\w*)/i;
const MARKER = /^:(\.\.\.)?([a-z]\w*)(?:\[([^\]]*)\])?$/i;

/** See `sql`. The named parameters are compiled to positions once, since only SQLite knows names. */
export class Statement<Params extends Parameters<Params> = NoParams, Row = unknown> {
  private readonly pieces: readonly Piece[];
  /** The text and the names of its positions, unless they depend on the length of a list. */
  private readonly fixed: { readonly sql: string; readonly names: readonly string[] } | undefined;

  constructor(
    text: string,
    readonly options: StatementOptions,
  ) {
    if (text.includes('?')) throw new Error(`A statement takes its parameters by name: ${text}`);
    this.pieces = piecesOf(text);
    const markers = this.pieces.filter((piece) => typeof piece !== 'string');
    if (markers.some(({ isList }) => isList)) return;
    const sql = this.pieces.map((piece) => (typeof piece === 'string' ? piece : '?')).join('');
    this.fixed = { sql, names: markers.map(({ name }) => name) };
  }

  /**
   * The text and the values by position.
   *
   * @throws where a value is missing
   */
  bind(params: Params): Bound {
    if (this.fixed) {
      const { sql, names } = this.fixed;
      return { sql, params: names.map((name) => valueOf(name, params) as Value) };
    }
    const values: Value[] = [];
    return { sql: fill(this.pieces, values, params), params: values };
  }

  /** A step that may touch any number of rows. */
  step(params: Params): Step {
    return this.bind(params);
  }

  /** A step that must touch at least this many rows; else nothing of its unit is stored. */
  guard(params: Params, rows = 1): Step {
    return { ...this.bind(params), guard: rows };
  }

  /** A SELECT at the end of its unit. */
  reading(params: Params): Reading<Row> {
    const bound = this.bind(params);
    return new Reading<Row>(bound.sql, bound.params);
  }
}

/**
 * A statement with named parameters. `:name` takes a value, and `IN (:...names)` a list, whose last element is
 * repeated so that there are few texts. `VALUES :...rows[:id, :name]` is repeated in parentheses for each row;
 * its names are those of the row, or else of the statement's parameters.
 *
 * @param text one of a fixed set, since drivers keep each for the life of the process
 */
export const sql = <Params extends Parameters<Params> = NoParams, Row = unknown>(
  text: string,
  options: StatementOptions = {},
) => new Statement<Params, Row>(text, options);

const piecesOf = (text: string): readonly Piece[] => text.split(TOKENS).map(pieceOf);

function pieceOf(token: string): Piece {
  const [, dots, name, row] = MARKER.exec(token) ?? [];
  if (name === undefined) return token;
  return { name, isList: dots !== undefined, row: row === undefined ? row : piecesOf(row) };
}

/** Builds the text for lists of these lengths, and collects the values in its order. */
function fill(pieces: readonly Piece[], values: Value[], params: object, row?: object): string {
  const texts = pieces.map((piece) => {
    if (typeof piece === 'string') return piece;
    const value = valueOf(piece.name, params, row);
    const template = piece.row;
    if (template) {
      const rows = value as readonly object[];
      return rows.map((one) => `(${fill(template, values, params, one)})`).join(', ');
    }
    const list = piece.isList ? padded(value as readonly Value[]) : [value as Value];
    values.push(...list);
    return list.map(() => '?').join(', ');
  });
  return texts.join('');
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
export function padded<T>(list: readonly T[]): readonly T[] {
  const last = list.at(-1);
  if (last === undefined) return list;
  return [...list, ...Array<T>(paddedLength(list.length) - list.length).fill(last)];
}

const paddedLength = (length: number): number =>
  length > LARGEST_DOUBLING
    ? Math.ceil(length / LARGEST_DOUBLING) * LARGEST_DOUBLING
    : 2 ** Math.ceil(Math.log2(length));
