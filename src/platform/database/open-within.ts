import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { OptionMistakes } from '../config/load-options.js';
import { codeOfDriverError } from '../errors/driver-errors.js';
import { isError } from '../errors/is-error.js';

const PAUSE_MS = 1000;
/**
 * Errors that waiting does not mend: a file that cannot be opened or is not a database, or a server's
 * setting. A locked file will be free again.
 */
const LASTING = /^(?:SQLITE_(?!BUSY|LOCKED)|UNSAFE_SESSION)/;

/** The server answers and says that the option is wrong: name, password or database. */
const WRONG_OPTION = /^ER_(?:ACCESS_DENIED|DBACCESS_DENIED|BAD_DB)/;

/**
 * Opens the database, waiting up to `seconds` for one that does not answer yet. An error that waiting cannot
 * mend (a damaged file) is thrown at once.
 *
 * @throws OptionMistakes for a wrong password or an unknown database
 */
export async function openWithin(seconds: number, dataSource: DataSource): Promise<DataSource> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    try {
      return await dataSource.initialize();
    } catch (error) {
      if (isError(error) && WRONG_OPTION.test(`${error.code}`)) {
        throw new OptionMistakes([`--db: ${error.message}`]);
      }
      if (!mayPass(error) || Date.now() >= deadline) throw error;
      const left = Math.ceil((deadline - Date.now()) / 1000);
      Logger.warn(`The database does not answer yet; waiting up to ${left} s more`, 'Database');
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

const mayPass = (error: unknown): boolean =>
  codeOfDriverError(error) === 'E0052R' && !(isError(error) && LASTING.test(`${error.code}`));
