import { readdirSync } from 'node:fs';
import { projectPath } from '../../../src/platform/project.js';
import type { DatabaseKind } from '../../../src/platform/database/entities/table.js';
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
      for (const [path, text] of textsOf(name, exported, kind, list)) {
        if (statements.has(path)) throw new Error(`Two statements are called ${path}.`);
        statements.set(path, text);
      }
    }
  }
  return statements;
}

/** Stands for the parameters of any statement, and for their lists and rows: each has as many elements. */
const parametersOf = (length: number): object => {
  const any: object = new Proxy({}, { has: () => true, get: () => Array(length).fill(any) });
  return any;
};

/** An object has a statement for each kind of database, or several that belong together. */
function textsOf(
  name: string,
  exported: unknown,
  kind: DatabaseKind,
  list: readonly string[],
): [name: string, text: string][] {
  if (exported instanceof Statement) return [[name, exported.bind(parametersOf(list.length)).sql]];
  if (typeof exported === 'string') return [[name, exported]];
  // The one statement that is made for each search; here it has all conditions.
  if (name === 'auditSearchStatement' && typeof exported === 'function')
    return textsOf(name, exported(parametersOf(list.length), kind), kind, list);
  if (typeof exported !== 'object' || exported === null || Array.isArray(exported)) return [];
  if (kind in exported)
    return textsOf(name, (exported as Record<DatabaseKind, unknown>)[kind], kind, list);
  return Object.entries(exported).flatMap(([part, one]) =>
    textsOf(`${name}_${part}`, one, kind, list),
  );
}
