import { problem } from '../../errors/reasons.js';
import { isOneText } from '../decorators.js';
import { CrossFieldValidator } from '../field-validator.js';

/** The parameters for reading forward. */
const FORWARD = new Set(['after', 'limit', 'format']);

/** Refuses `after` together with a parameter that is only for reading backward, and names that parameter. */
export const IsForward = CrossFieldValidator('isForward', (value, query) => {
  if (!isOneText(value)) return problem('cursor.after');
  const others = Object.entries(query).filter(
    ([name, other]) => !FORWARD.has(name) && other !== undefined && other !== 0,
  );
  const [name] = others[0] ?? [];
  return name === undefined ? undefined : problem('cursor.afterAlone', { name });
});
