import { PrivateInstance } from './private-instance.mjs';
import { findProgram } from './programs.mjs';

/**
 * Finds a server: the one in the variable, otherwise one at the default address, otherwise a
 * private instance. The result contains what was found, or why nothing was.
 *
 * @param scratch prefers a private instance to the default address: tests then neither encounter
 *   nor leave foreign data in a server, and it need not survive a power cut
 */
export async function findServer(kind, { scratch = false } = {}) {
  const { name, variable, usual } = kind;
  const given = process.env[variable];
  const program = findProgram(...kind.programs);
  const found = (url, how, { version, stop }) => ({
    name,
    detail: `${version} at ${withoutPassword(url)}${how}`,
    env: { [variable]: url },
    stop,
  });
  const missing = (why, more = {}) => ({ name, missing: why, env: { [variable]: '' }, ...more });
  const startPrivate = async () => {
    const instance = await PrivateInstance.of(kind, scratch ? kind.scratch : []);
    const version = await instance.keepRunning();
    const stop = () => instance.remove();
    return found(instance.url, ', a private instance', { version, stop });
  };
  const askUsual = async () => found(usual, '', { version: await kind.probe(usual) });

  if (given === '') return missing(`${variable} is empty`);
  if (given !== undefined) {
    try {
      return found(given, '', { version: await kind.probe(given) });
    } catch (error) {
      return missing(`${variable} does not answer: ${reason(error)}`, { broken: true });
    }
  }
  const ways = program ? [askUsual, startPrivate] : [askUsual];
  if (scratch) ways.reverse();
  const failures = [];
  for (const way of ways) {
    try {
      return await way();
    } catch (error) {
      failures.push(reason(error));
    }
  }
  const why = `nothing usable at ${usual} or of its own (${failures.join('; ')})`;
  return program
    ? missing(why)
    : missing(`${why}, and no ${kind.programs[0]} is installed`, kind.install);
}

/** Some network errors have an empty message and only a code. */
const reason = (error) => error.message || error.code || String(error);

const withoutPassword = (url) => url.replace(/(\/\/[^:@/]*):[^@/]*@/, '$1:…@');
