import { Refusal } from './project.mjs';

const STORES = ['sqlite', 'mariadb'];

/**
 * Takes `--store sqlite|mariadb` out of a script's arguments: which database it is to run on; with MariaDB
 * what is pending lies in Redis, as where several instances serve.
 *
 * @returns the store (`sqlite` where none is named), and the arguments without it
 */
export function takeStore(argv) {
  const at = argv.indexOf('--store');
  if (at === -1) return { store: 'sqlite', rest: argv };
  const store = argv[at + 1];
  if (!STORES.includes(store)) throw new Refusal(`--store takes one of ${STORES.join(', ')}`);
  return { store, rest: argv.toSpliced(at, 2) };
}
