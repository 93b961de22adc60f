import { parseArgs } from 'node:util';
import { Refusal } from '../scripts/lib/project.mjs';
import { CONTESTANTS } from './contestants.mjs';

/** The flags of `npm run bench --`, read and checked. */
export function benchOptions(argv) {
  const { values } = parseArgs({
    args: argv,
    options: {
      seconds: { type: 'string', default: '5' },
      rounds: { type: 'string', default: '3' },
      users: { type: 'string', default: '200' },
      concurrency: { type: 'string', default: '16' },
      only: { type: 'string', default: Object.keys(CONTESTANTS).join(',') },
      node: { type: 'string', default: process.execPath },
      profile: { type: 'boolean', default: false },
    },
  });
  const names = values.only.split(',');
  const unknown = names.filter((name) => !Object.hasOwn(CONTESTANTS, name));
  if (unknown.length > 0) {
    throw new Refusal(`--only knows ${Object.keys(CONTESTANTS).join(', ')}, not ${unknown}`);
  }
  const [seconds, rounds, users, concurrency] = ['seconds', 'rounds', 'users', 'concurrency'].map(
    (name) => atLeastOne(name, values[name]),
  );
  if (users < concurrency) throw new Refusal('--users must be at least --concurrency');
  return { names, seconds, rounds, users, concurrency, node: values.node, profile: values.profile };
}

function atLeastOne(name, text) {
  const number = Number(text);
  if (!(number >= 1)) throw new Refusal(`--${name} must be a number of at least 1, not ${text}`);
  return number;
}
