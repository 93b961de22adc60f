/** The owner of a frame in V8's profiles: a folder of our source, a package, Node itself, or V8's names in brackets. */
export function layerOf({ functionName, url }) {
  const room = /\/dist\/([^/]+)/.exec(url);
  const names = [...url.matchAll(/node_modules\/((?:@[^/]+\/)?[^/]+)/g)];
  if (names.length > 0) return names.at(-1)[1];
  if (room) return `dist/${room[1]}`;
  if (url.startsWith('node:')) return url.split('/')[0] === 'node:internal' ? 'node:internal' : url;
  return functionName.startsWith('(') ? functionName : 'native code';
}

export const functionOf = ({ functionName, url, lineNumber }) =>
  `${functionName || '(anonymous)'}  ${url && `${url.split('/').slice(-3).join('/')}:${lineNumber + 1}`}`;

/** Sums by name. */
export class Sums extends Map {
  add(name, amount) {
    this.set(name, (this.get(name) ?? 0) + amount);
  }

  get total() {
    return [...this.values()].reduce((sum, amount) => sum + amount, 0);
  }

  largest(count) {
    return [...this].sort(([, a], [, b]) => b - a).slice(0, count);
  }
}
