import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the project, wherever the command was called from. */
export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** A path inside the project. */
export const inProject = (...parts) => resolve(ROOT, ...parts);

/** One line to whoever started the command. */
export const say = (line) => console.log(`servicefido: ${line}`);

/** A mistake that the reader can correct: printed without a stack trace. */
export class Refusal extends Error {}
