import { readFileSync } from 'node:fs';
import { parse as parseYaml } from 'yaml';
import { checkFile, type StartCheck } from '../../platform/config/start-checks.js';
import { isName } from '../../platform/validation/values/names.js';
import { isObject } from '../../platform/validation/field-validator.js';
import { isAaguidText } from '../../webauthn/aaguid.js';

/** Checks the file of `--aaguid-file` when the server starts. */
export const listOfModels: StartCheck = (path) => checkFile(path, readAaguidFile);

/** A listed model; the name may be empty. */
export interface NamedModel {
  readonly aaguid: string;
  readonly name: string;
}

/**
 * Reads a file of AAGUIDs: YAML or JSON with an array of AAGUIDs or of `{aaguid, name}`, or an
 * object of names by AAGUID; or plain text, with an AAGUID and optionally a name on each line.
 *
 * @throws Error that names the file and the first wrong item
 */
export function readAaguidFile(path: string): NamedModel[] {
  const text = readFileSync(path, 'utf8');
  return itemsOf(text).map((item) => {
    const { aaguid, name = '' } = isObject(item) ? item : { aaguid: item };
    if (isAaguidText(aaguid) && (name === '' || isName(name))) {
      return { aaguid: aaguid.toLowerCase(), name };
    }
    throw new Error(`${path}: ${JSON.stringify(item)} is no AAGUID, or its name is no name.`);
  });
}

function itemsOf(text: string): unknown[] {
  const parsed = structured(text);
  if (Array.isArray(parsed)) return parsed;
  if (isObject(parsed)) return Object.entries(parsed).map(([aaguid, name]) => ({ aaguid, name }));
  return text
    .split(/\r?\n/)
    .map((line) => line.replace(/#.*$/, '').trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [, aaguid, name] = /^(\S+)\s*(.*)$/.exec(line) ?? [];
      return { aaguid, name };
    });
}

/** YAML includes JSON; plain text is neither, and parses as one long string or not at all. */
function structured(text: string): unknown {
  try {
    return parseYaml(text);
  } catch {
    return undefined;
  }
}
