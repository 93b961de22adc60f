import ts from 'typescript';
import { projectPath } from '../../../src/platform/project.js';
import type { Manifest } from './manifests.js';

/** Where `kubernetes-types` describes the kinds of an API; it has no types of other projects' APIs. */
const MODULES: Readonly<Record<string, string>> = {
  v1: 'core/v1',
  'apps/v1': 'apps/v1',
  'networking.k8s.io/v1': 'networking/v1',
  'policy/v1': 'policy/v1',
};

/** TypeScript reads this file from memory; its path determines where TypeScript looks for packages. */
const FILE = projectPath('manifests.ts');
const OPTIONS: ts.CompilerOptions = {
  noEmit: true,
  strict: true,
  skipLibCheck: true,
  types: [],
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
};
const PARTIAL = `type Part<T> = T extends object ? { [Name in keyof T]?: Part<T[Name]> } : T;`;

export const isTyped = ({ apiVersion }: Manifest): boolean => apiVersion in MODULES;

/**
 * Checks objects against the types of Kubernetes: members that do not exist, and those that are missing or of another
 * type.
 *
 * @param patches parts of objects, of which members may be missing
 * @returns TypeScript's messages; empty for objects without faults
 */
export function typeFaults(
  objects: readonly Manifest[],
  patches: readonly Manifest[] = [],
): string[] {
  const lines = [
    PARTIAL,
    ...objects.map((object, index) => declaration(`o${index}`, typeOf(object), object)),
    ...patches.map((patch, index) => declaration(`p${index}`, `Part<${typeOf(patch)}>`, patch)),
  ];
  const source = ts.createSourceFile(FILE, lines.join('\n'), ts.ScriptTarget.ES2022);
  const host = ts.createCompilerHost(OPTIONS);
  const getSourceFile = host.getSourceFile.bind(host);
  host.getSourceFile = (name, ...rest) => (name === FILE ? source : getSourceFile(name, ...rest));
  const program = ts.createProgram([FILE], OPTIONS, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

const declaration = (name: string, type: string, value: Manifest) =>
  `export const ${name}: ${type} = ${JSON.stringify(value)};`;

function typeOf({ apiVersion, kind }: Manifest): string {
  const module = MODULES[apiVersion];
  if (module === undefined) throw new Error(`There are no types of ${apiVersion}.`);
  return `import('kubernetes-types/${module}').${kind}`;
}
