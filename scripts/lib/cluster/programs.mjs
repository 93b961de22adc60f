import { existsSync } from 'node:fs';
import { Refusal } from '../project.mjs';
import { aptInstall, mayInstall } from '../services/apt.mjs';
import { findProgram } from '../services/programs.mjs';

/** The paths of Galera's library on Debian, on Red Hat and its derivatives, and elsewhere. */
const PROVIDERS = [
  '/usr/lib/galera/libgalera_smm.so',
  '/usr/lib64/galera-4/libgalera_smm.so',
  '/usr/local/lib/galera/libgalera_smm.so',
];

const NEEDED = {
  mariadbd: [() => findProgram('mariadbd'), 'mariadb-server'],
  installDb: [() => findProgram('mariadb-install-db'), 'mariadb-server'],
  galera: [() => PROVIDERS.find(existsSync), 'galera-4'],
  rsync: [() => findProgram('rsync'), 'rsync'],
  haproxy: [() => findProgram('haproxy'), 'haproxy'],
  // The program is also that of the Sentinels.
  redis: [() => findProgram('redis-server'), 'redis-server'],
};

/** The programs of a cluster by name; on a build machine, missing ones are installed. */
export function clusterPrograms() {
  let missing = lacking();
  if (missing.length > 0 && mayInstall()) {
    aptInstall(missing);
    missing = lacking();
  }
  if (missing.length > 0) {
    throw new Refusal(
      `a cluster needs these Debian packages (or their like): ${missing.join(' ')}`,
    );
  }
  return Object.fromEntries(Object.entries(NEEDED).map(([name, [find]]) => [name, find()]));
}

function lacking() {
  const packages = Object.values(NEEDED).flatMap(([find, name]) => (find() ? [] : [name]));
  return [...new Set(packages)];
}
