const LAYERS = 25;
const FUNCTIONS = 30;

/** The owner of a frame in V8's profiles: a folder of our source, a package, Node itself, or V8's names in brackets. */
function layerOf({ functionName, url }) {
  const room = /\/dist\/([^/]+)/.exec(url);
  const names = [...url.matchAll(/node_modules\/((?:@[^/]+\/)?[^/]+)/g)];
  if (names.length > 0) return names.at(-1)[1];
  if (room) return `dist/${room[1]}`;
  if (url.startsWith('node:')) return url.split('/')[0] === 'node:internal' ? 'node:internal' : url;
  return functionName.startsWith('(') ? functionName : 'native code';
}

const functionOf = ({ functionName, url, lineNumber }) =>
  `${functionName || '(anonymous)'}  ${url && `${url.split('/').slice(-3).join('/')}:${lineNumber + 1}`}`;

/**
 * The largest owners of a profile's amounts, by layer and by function.
 *
 * @param frames V8's frames, each with its amount
 * @param title of the total
 * @param show an amount, given the total
 */
export function summaryOf(frames, { title, show }) {
  const [layers, functions] = [layerOf, functionOf].map((ownerOf) => sums(frames, ownerOf));
  const total = frames.reduce((sum, [, amount]) => sum + amount, 0);
  const lines = (owners, count) =>
    owners.slice(0, count).map(([name, amount]) => `${show(amount, total)}  ${name}`);
  return [
    `${title(total)} By layer:`,
    ...lines(layers, LAYERS),
    'and by function:',
    ...lines(functions, FUNCTIONS),
  ].join('\n');
}

/** The amounts of each owner, largest first. */
function sums(frames, ownerOf) {
  const all = new Map();
  for (const [frame, amount] of frames) {
    const owner = ownerOf(frame);
    all.set(owner, (all.get(owner) ?? 0) + amount);
  }
  return [...all].sort(([, a], [, b]) => b - a);
}
