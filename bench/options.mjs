import { parseArgs } from 'node:util';
import { Refusal } from '../scripts/lib/project.mjs';
import { CONTESTANTS } from './contestants.mjs';

const USUAL_ONES = ['floor', 'usual', 'sqlite', 'mariadb'];
const NUMBERS = { seconds: 5, rounds: 3, visitors: 200, users: 0, workers: 1, concurrency: 16 };

/** The flags of `npm run bench --`, read and checked. */
export function benchOptions(argv) {
  const { values } = parseArgs({
    args: argv,
    options: {
      ...Object.fromEntries(Object.keys(NUMBERS).map((name) => [name, { type: 'string' }])),
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
  const entries = Object.keys(NUMBERS).map((name) => [name, numberOf(name, values[name])]);
  const numbers = Object.fromEntries(entries);
  if (numbers.visitors < numbers.concurrency) {
    throw new Refusal('--visitors must be at least --concurrency');
  }
  const nodes = values.node.split(',');
  if (against !== undefined && nodes.some((node) => node !== process.execPath)) {
    throw new Refusal('--against compares on this Node.js: leave --node out');
  }
  const look = ['profile', 'allocations'].find((name) => values[name]);
  return { names, against, ...numbers, nodes, look };
}

function numberOf(name, text = NUMBERS[name]) {
  const number = Number(text);
  const least = Math.min(1, NUMBERS[name]);
  if (!(number >= least)) {
    throw new Refusal(`--${name} must be a number of at least ${least}, not ${text}`);
  }
  return number;
}
