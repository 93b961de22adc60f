import { readdirSync } from 'node:fs';
import { projectPath } from '../../../src/platform/project.js';
import type { DatabaseKind } from '../../../src/platform/database/columns.js';
import { Statement } from '../../../src/platform/database/statement.js';

export const sources = readdirSync(projectPath('src'), { recursive: true }).map(String);

const load = async (file: string) =>
  (await import(projectPath(`src/${file}`))) as Readonly<Record<string, unknown>>;

/** Makes the entities known, which are read when their files are loaded. */
export async function loadEntities(): Promise<void> {
  for (const file of sources.filter((name) => name.endsWith('.entity.ts'))) await load(file);
}

/** Every statement of `*.statements.ts` by its name; of a builder, one that it makes of the list. */
export async function loadStatements(
  kind: DatabaseKind = 'sqlite',
  list: readonly string[] = ['1 = 1', '2 = 2'],
): Promise<ReadonlyMap<string, string>> {
  const statements = new Map<string, string>();
  for (const file of sources.filter((name) => name.endsWith('.statements.ts'))) {
    for (const [name, exported] of Object.entries(await load(file))) {
      const text = textOf(exported, kind, list);
      if (text === undefined) continue;
      if (statements.has(name)) throw new Error(`Two statements are called ${name}.`);
      statements.set(name, text);
    }
  }
  return statements;
}

/** Stands for the parameters of any statement, and for their lists and rows: each has as many elements. */
const parametersOf = (length: number): object => {
  const any: object = new Proxy({}, { has: () => true, get: () => Array(length).fill(any) });
  return any;
};

/** Lists stand for ids, conditions or rows: each of these takes them. */
function textOf(
  exported: unknown,
  kind: DatabaseKind,
  list: readonly string[],
): string | undefined {
  if (exported instanceof Statement) return exported.bind(parametersOf(list.length)).sql;
  if (typeof exported === 'string') return exported;
  if (typeof exported === 'object' && exported !== null && kind in exported)
    return textOf((exported as Record<DatabaseKind, unknown>)[kind], kind, list);
  if (typeof exported !== 'function') return undefined;
  return String(exported.length > 1 ? exported(kind, list) : exported(list));
}
