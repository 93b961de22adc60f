import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the project, regardless of the current folder. */
export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** A path inside the project. */
export const inProject = (...parts) => resolve(ROOT, ...parts);

/** The content of a JSON file of the project. */
export const readJson = (path) => JSON.parse(readFileSync(inProject(path), 'utf8'));

/** Prints one line for the user of the command. */
export const say = (line) => console.log(`servicefido: ${line}`);

/** A mistake that the user can correct: printed without a stack trace. */
export class Refusal extends Error {}
