import { readFileSync } from 'node:fs';
import { inProject, Refusal } from './project.mjs';

/** Refuses a Node.js that is older than `engines` in package.json asks for. */
export function requireNode() {
  const { engines } = JSON.parse(readFileSync(inProject('package.json'), 'utf8'));
  const needed = numbers(engines.node);
  const [major, minor] = numbers(process.versions.node);
  if (major > needed[0] || (major === needed[0] && minor >= needed[1])) return;
  throw new Refusal(
    `needs Node.js ${needed.join('.')} or newer, but ${process.execPath} is ` +
      `${process.versions.node}. Get a current one from https://nodejs.org and try again.`,
  );
}

const numbers = (text) => text.match(/\d+/g).map(Number);
