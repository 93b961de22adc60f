import { PROGRAM } from '../program.js';
import type { OptionType } from './option-types.js';

/**
 * A mistake for options that npm has taken for itself: it passes on only those after `--`, and stores the others in the
 * environment (https://docs.npmjs.com/cli/using-npm/config).
 *
 * @param options their kinds by their names as flags
 */
export function takenByNpm(
  options: ReadonlyMap<string, OptionType<unknown>['kind']>,
  env: NodeJS.ProcessEnv,
): string | undefined {
  const script = env['npm_lifecycle_event'];
  if (script === undefined) return undefined;
  const taken = [...options].flatMap(([flag, kind]) => {
    const value = env[`npm_config_${flag.replaceAll('-', '_')}`];
    return value === undefined ? [] : [`--${flag}${writtenValue(kind, value)}`];
  });
  if (taken.length === 0) return undefined;
  return `npm has taken options for itself, so nothing was started. Write them so: ${callBy(script)} ${taken.join(' ')}`;
}

/** A switch without a value arrives as `true`, one after `--no-` as nothing; of `--port 80` only `true` arrives. */
function writtenValue(kind: OptionType<unknown>['kind'], value: string): string {
  if (kind === 'switch') return value === 'true' ? '' : ` ${value || 'off'}`;
  return value === 'true' ? ' …' : ` ${value}`;
}

function callBy(script: string): string {
  if (script === 'npx') return PROGRAM;
  return script === 'start' ? 'npm start --' : `npm run ${script} --`;
}
