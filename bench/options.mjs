import { parseArgs } from 'node:util';
import { Refusal } from '../scripts/lib/project.mjs';
import { CONTESTANTS } from './contestants.mjs';

const USUAL_ONES = ['floor', 'usual', 'sqlite', 'mariadb'];

/** The flags of `npm run bench --`, read and checked. */
export function benchOptions(argv) {
  const { values } = parseArgs({
    args: argv,
    options: {
      seconds: { type: 'string', default: '5' },
      rounds: { type: 'string', default: '3' },
      visitors: { type: 'string', default: '200' },
      users: { type: 'string', default: '0' },
      workers: { type: 'string', default: '1' },
      concurrency: { type: 'string', default: '16' },
      only: { type: 'string', default: USUAL_ONES.join(',') },
      against: { type: 'string' },
      node: { type: 'string', default: process.execPath },
      profile: { type: 'boolean', default: false },
      allocations: { type: 'boolean', default: false },
    },
  });
  const { against } = values;
  const names = [...values.only.split(','), ...(against === undefined ? [] : ['before'])];
  const unknown = names.filter((name) => !Object.hasOwn(CONTESTANTS, name));
  if (unknown.length > 0) {
    throw new Refusal(`--only knows ${Object.keys(CONTESTANTS).join(', ')}, not ${unknown}`);
  }
  const number = (name, least = 1) => atLeast(least, name, values[name]);
  const [seconds, rounds, workers] = [number('seconds'), number('rounds'), number('workers')];
  const [visitors, concurrency] = [number('visitors'), number('concurrency')];
  if (visitors < concurrency) throw new Refusal('--visitors must be at least --concurrency');
  const users = number('users', 0);
  const nodes = values.node.split(',');
  if (against !== undefined && nodes.some((node) => node !== process.execPath)) {
    throw new Refusal('--against compares on this Node.js: leave --node out');
  }
  const look = ['profile', 'allocations'].find((name) => values[name]);
  return { names, against, seconds, rounds, visitors, users, workers, concurrency, nodes, look };
}

function atLeast(least, name, text) {
  const number = Number(text);
  if (!(number >= least)) {
    throw new Refusal(`--${name} must be a number of at least ${least}, not ${text}`);
  }
  return number;
}
