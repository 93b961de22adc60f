import { findProgram } from './programs.mjs';

/**
 * Finds a server for the tests: the one that the variable names, else one at the usual address,
 * else a private instance. The answer says what was found, or why nothing was.
 */
export async function findServer(kind) {
  const { name, variable, usual } = kind;
  const given = process.env[variable];
  const found = (url, how, version, stop) => ({
    name,
    detail: `${version} at ${withoutPassword(url)}${how}`,
    env: { [variable]: url },
    stop,
  });
  const missing = (why, more = {}) => ({ name, missing: why, env: { [variable]: '' }, ...more });

  if (given === '') return missing(`${variable} is empty`);
  if (given !== undefined) {
    try {
      return found(given, '', await kind.probe(given));
    } catch (error) {
      return missing(`${variable} does not answer: ${reason(error)}`, { broken: true });
    }
  }
  try {
    return found(usual, '', await kind.probe(usual));
  } catch (error) {
    const program = findProgram(...kind.programs);
    const why = `nothing usable at ${usual} (${reason(error)})`;
    if (!program) return missing(`${why}, and no ${kind.programs[0]} is installed`, kind.install);
    return await startPrivate(kind, program, { found, missing });
  }
}

async function startPrivate(kind, program, { found, missing }) {
  try {
    const { url, version, stop } = await kind.start(program);
    return found(url, ', a private instance', version, stop);
  } catch (error) {
    return missing(reason(error));
  }
}

/** Some network errors have an empty message and only a code. */
const reason = (error) => error.message || error.code || String(error);

const withoutPassword = (url) => url.replace(/(\/\/[^:@/]*):[^@/]*@/, '$1:…@');
