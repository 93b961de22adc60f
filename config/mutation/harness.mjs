import { bind } from 'jest-each';
import { expect } from 'expect';

/** As much of Jest as the unit tests of the core use: `describe`, `it`, `it.each`, `expect`. */

let file = '';
let tests = [];
const titles = [];

function describe(title, define) {
  titles.push(title);
  define();
  titles.pop();
}

function it(title, action) {
  const name = [...titles, title].join(' ');
  tests.push({ id: `${file} ${tests.length} ${name}`, name, file, action });
}

it.each = bind(it, false);
describe.each = bind(describe, false);
Object.assign(globalThis, { describe, it, expect });

/** Loads a spec and returns its tests, in order. */
export async function loadSpec(path, url) {
  file = path;
  tests = [];
  await import(url);
  return tests;
}

/** @returns {Promise<string | undefined>} why the test fails; undefined when it passes */
export async function failureOf({ action }) {
  try {
    await action();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
