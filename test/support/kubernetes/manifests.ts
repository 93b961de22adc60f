import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { findProgram } from '../../../scripts/lib/services/programs.mjs';
import { projectPath } from '../../../src/platform/project.js';

interface EnvironmentVariable {
  readonly name: string;
  readonly value: string;
}

interface Container {
  readonly image: string;
  readonly env: readonly EnvironmentVariable[];
}

interface PodSpec {
  readonly containers: readonly [Container];
  readonly volumes: readonly object[];
}

/** The members of a Kubernetes object that the tests read. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec: {
    readonly replicas?: number;
    readonly template: { readonly metadata: object; readonly spec: PodSpec };
  } & Readonly<Record<string, unknown>>;
}

interface Kustomization {
  readonly resources: readonly string[];
  /** Those without a target are parts of objects. */
  readonly patches?: readonly { readonly path: string; readonly target?: object }[];
  readonly configMapGenerator: readonly [{ readonly literals: readonly string[] }];
}

/** A folder of `deploy/kubernetes` as it is written. */
export interface Sources {
  readonly kustomization: Kustomization;
  readonly resources: readonly Manifest[];
  /** Parts of objects of the base. */
  readonly patches: readonly Manifest[];
}

const isBase = (resource: string): boolean => resource.startsWith('../');

const pathOf = (...parts: string[]) => projectPath(join('deploy/kubernetes', ...parts));

/** Kubernetes reads YAML 1.1, where 0440 is octal. */
const parseDocuments = (text: string): Manifest[] =>
  parseAllDocuments(text, { version: '1.1' }).map((document) => document.toJS() as Manifest);

export function readSources(folder: string): Sources {
  const read = (file: string) => readFileSync(pathOf(folder, file), 'utf8');
  const kustomization = parse(read('kustomization.yaml')) as Kustomization;
  const { patches = [] } = kustomization;
  const resources = kustomization.resources.filter((path) => !isBase(path));
  const parts = patches.flatMap(({ path, target }) => (target ? [] : path));
  return {
    kustomization,
    resources: resources.flatMap((file) => parseDocuments(read(file))),
    patches: parts.flatMap((file) => parseDocuments(read(file))),
  };
}

/** The environment that the server of a folder starts with: of its base, and its own. */
export function environmentOf(folder: string): Record<string, string> {
  const { kustomization, resources, patches } = readSources(folder);
  const bases = kustomization.resources.filter(isBase);
  const inherited = bases.map((base) => environmentOf(join(folder, base)));
  const options = kustomization.configMapGenerator[0].literals.map((literal) => {
    const at = literal.indexOf('=');
    return [literal.slice(0, at), literal.slice(at + 1)] as const;
  });
  const own = [...resources, ...patches].flatMap(variablesOf);
  return Object.assign({}, ...inherited, Object.fromEntries([...options, ...own]));
}

/**
 * The objects of a folder as kubectl sends them.
 *
 * @throws Error with what kubectl complains or warns of
 */
export function render(folder: string): Manifest[] {
  const kubectl = findProgram('kubectl') ?? '';
  const args = ['kustomize', pathOf(folder)];
  const { stdout, stderr } = spawnSync(kubectl, args, { encoding: 'utf8' });
  if (stderr !== '') throw new Error(stderr);
  return parseDocuments(stdout);
}

/** The environment of the server among rendered objects, with the options of its config map. */
export function renderedEnvironment(manifests: readonly Manifest[]): Record<string, string> {
  const options = manifests.find(({ kind }) => kind === 'ConfigMap')?.data ?? {};
  return { ...options, ...Object.fromEntries(manifests.flatMap(variablesOf)) };
}

const variablesOf = (manifest: Manifest): [string, string][] =>
  isServer(manifest)
    ? manifest.spec.template.spec.containers[0].env.map(({ name, value }) => [name, value])
    : [];

export const isServer = ({ kind }: Manifest): boolean =>
  kind === 'StatefulSet' || kind === 'Deployment';
