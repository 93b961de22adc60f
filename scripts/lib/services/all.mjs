import { aptInstall, mayInstall } from './apt.mjs';
import { findChromium } from './chromium.mjs';
import { findServer } from './find-server.mjs';
import { MARIADB } from './mariadb.mjs';
import { REDIS } from './redis.mjs';
import { findVectors } from './vectors.mjs';

/** It comes with the packages. */
const SQLITE = { name: 'SQLite', detail: 'embedded', env: {} };

/**
 * Finds the services for the tests. Each has a name, environment variables, and either `detail`
 * (found: version and location) or `missing` (why not); `broken` means that it was requested by
 * name and does not work; `stop` ends an instance that was started here.
 *
 * @param options those of {@link findServer}
 */
export async function findServices(options) {
  const finders = [
    () => SQLITE,
    () => findServer(MARIADB, options),
    () => findServer(REDIS, options),
    findChromium,
    findVectors,
  ];
  const services = await Promise.all(finders.map((find) => find()));
  const packages = services.flatMap((service) => service.packages ?? []);
  if (packages.length === 0 || !mayInstall()) return services;
  aptInstall(packages);
  return await Promise.all(
    services.map((service, index) => (service.packages ? finders[index]() : service)),
  );
}
