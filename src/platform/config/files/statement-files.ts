import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  readStandaloneStatement,
  type MetadataEntry,
} from '../../../webauthn/metadata/metadata-statement.js';
import { messageOfError } from '../../errors/driver-errors.js';

/** Whether an item of `--mds` is a directory: of metadata statements, for FIDO's conformance tests. */
export const isStatementDirectory = (place: string): boolean =>
  statSync(place, { throwIfNoEntry: false })?.isDirectory() ?? false;

/**
 * The models that the files `*.json` of a directory describe: one metadata statement a file, as FIDO's conformance
 * tool offers them.
 *
 * @throws Error that names the file that is not a metadata statement, or the directory if it has none
 */
export function readStatementFiles(directory: string): MetadataEntry[] {
  const names = readdirSync(directory).filter((name) => name.toLowerCase().endsWith('.json'));
  if (names.length === 0) throw new Error(`${directory} contains no metadata statements (*.json)`);
  return names.map((name) => {
    const file = join(directory, name);
    try {
      return readStandaloneStatement(JSON.parse(readFileSync(file, 'utf8')));
    } catch (error) {
      throw new Error(`${file} is not a metadata statement: ${messageOfError(error)}`, {
        cause: error,
      });
    }
  });
}
