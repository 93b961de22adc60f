import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const NAMED = process.env['SERVICEFIDO_VECTORS'];

/** The folder of collected ceremonies, which never become part of the project. */
const FOLDER = NAMED === undefined ? resolve(PROJECT, '../shared/vectors') : resolve(NAMED);

/** One collected ceremony; the README of the collection explains each member. */
export interface Ceremony {
  readonly id: string;
  readonly format: string | null;
  readonly subformat?: string | null;
  readonly rpId: string;
  readonly origin: string;
  readonly challenge: string;
  readonly credentialId: string;
  readonly alg: number;
  readonly clientDataJSON: string;
  readonly attestationObject: string;
  readonly authenticatorData: string;
  readonly signature: string;
  readonly publicKeyCose: string;
  readonly storedCounter?: number | null;
  readonly aaguid?: string;
  readonly signCount: number;
  readonly flags: { readonly be: boolean; readonly bs: boolean; readonly uv: boolean };
  readonly expected: 'valid' | 'invalid';
  readonly specVerdict?: 'valid' | 'invalid';
  readonly reason: string;
  readonly shape?: boolean;
  readonly policy?: boolean;
  readonly requireUserVerification?: boolean;
  readonly allowedAlgs?: readonly number[];
  readonly crossOrigin?: boolean;
  readonly topOrigin?: string;
  readonly appId?: string;
  readonly ambiguous?: boolean;
  readonly offlineDetectable?: boolean;
  readonly nonCanonicalCbor?: boolean;
  readonly requiresMetadata?: boolean;
  readonly trustPath?: 'anchored' | 'unanchored' | 'broken';
  readonly trustAnchor?: string;
  readonly evaluateAt?: string;
}

/** Whether the collection is there; where it is not, a spec says so with {@link reportMissing}. */
export function vectorsAvailable(): boolean {
  return existsSync(join(FOLDER, 'README.md'));
}

/** Reports the name of a test that could not run. */
export function reportMissing(what: string): void {
  process.stderr.write(
    `NOT RUN: ${what}: no collected vectors (set SERVICEFIDO_VECTORS to their folder)\n`,
  );
}

/** All ceremonies of a kind, but the raw bodies (`shape`), which are for the HTTP suites. */
export function ceremonies(kind: 'registration' | 'authentication'): readonly Ceremony[] {
  if (!vectorsAvailable()) return [];
  return readdirSync(join(FOLDER, kind))
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => readJson<readonly Ceremony[]>(join(kind, name)))
    .filter((entry) => entry.shape !== true);
}

/** The path of a file or folder of the collection. */
export function vectorPath(...parts: readonly string[]): string {
  return join(FOLDER, ...parts);
}

/** A JSON file of the collection. */
export function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(join(FOLDER, path), 'utf8')) as T;
}

/** The names of the files in a folder of the collection. */
export function filesIn(folder: string): readonly string[] {
  return vectorsAvailable() ? readdirSync(join(FOLDER, folder)) : [];
}

/** A trust anchor of the collection, PEM; undefined for those that it names but does not hold. */
export function readAnchor(name: string): string | undefined {
  const path = join(FOLDER, 'roots', name);
  return name !== '' && existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

/** The verdict that counts for this project. */
export function verdictOf(entry: Ceremony): 'valid' | 'invalid' {
  return entry.specVerdict ?? entry.expected;
}

/** Base64URL of the collection, which is canonical. */
export function bytes(text: string): Buffer {
  return Buffer.from(text, 'base64url');
}
