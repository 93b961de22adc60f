import { readFileSync } from 'node:fs';
import { YAMLParseError, parse as parseYaml } from 'yaml';
import { OptionMistakes } from '../option-types.js';

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
 * @throws OptionMistakes if the file cannot be read, or is neither; without the parser's own message, which quotes the
 *   file: it may contain passwords
 */
export function readYamlFile(flag: string, path: string, schema?: 'failsafe'): unknown {
  const text = readOptionFile(flag, path).toString();
  try {
    return parseYaml(text, schema ? { schema } : {});
  } catch (error) {
    const sentence = `${flag}: ${path} cannot be read as YAML or JSON`;
    throw new OptionMistakes([`${sentence}${lineAndErrorOf(error)}`]);
  }
}

function lineAndErrorOf(error: unknown): string {
  if (!(error instanceof YAMLParseError)) return '';
  const line = error.linePos?.[0].line;
  return `: line ${line}, ${error.code.toLowerCase().replaceAll('_', ' ')}`;
}
