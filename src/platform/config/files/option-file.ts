import { readFileSync } from 'node:fs';
import { parse as parseYaml } from 'yaml';
import { OptionMistakes } from '../option-types.js';

/** @throws OptionMistakes if the file of an option cannot be read */
export function readOptionFile(flag: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    throw new OptionMistakes([`${flag}: ${path} cannot be read`]);
  }
}

/**
 * The content of an option's file, which is YAML or JSON.
 *
 * @param schema `failsafe` reads all values as texts: the password 0123 must not become the number 123
 * @throws OptionMistakes if the file cannot be read, or is neither
 */
export function readYamlFile(flag: string, path: string, schema?: 'failsafe'): unknown {
  try {
    return parseYaml(readFileSync(path, 'utf8'), schema ? { schema } : {});
  } catch {
    throw new OptionMistakes([`${flag}: ${path} cannot be read as YAML or JSON`]);
  }
}
