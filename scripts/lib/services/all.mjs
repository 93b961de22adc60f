import { aptInstall, mayInstall } from './apt.mjs';
import { findChromium } from './chromium.mjs';
import { findSqlite, findVectors } from './embedded.mjs';
import { findServer } from './find-server.mjs';
import { findKubectl } from './kubectl.mjs';
import { MARIADB } from './mariadb.mjs';
import { REDIS } from './redis.mjs';

/**
 * What the tests can run on. Each service has a name, what to set in the environment, and either
 * `detail` (found: version and where) or `missing` (why not); `broken` says that somebody asked
 * for it by name and it does not work; `stop` ends an instance that was started here.
 *
 * @param options those of {@link findServer}
 */
export async function findServices(options) {
  const finders = [
    findSqlite,
    () => findServer(MARIADB, options),
    () => findServer(REDIS, options),
    findChromium,
    findKubectl,
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
