import { readFileSync } from 'node:fs';
import { projectPath } from '../../src/platform/project.js';
import { MAKE_CREDENTIAL_CASES, NOT_AUTOMATED } from '../support/conformance/every-case.js';
import { standardPage } from '../support/conformance/standard-page.js';

it('docs/standard.md lists the tests of each step and case (npm run standard writes it)', async () => {
  expect(readFileSync(projectPath('docs/standard.md'), 'utf8')).toBe(await standardPage());
});

it('no case of the conformance tool that is listed as not automated has a test', () => {
  const automated = new Set(MAKE_CREDENTIAL_CASES.map(([, { id }]) => id));
  expect(Object.keys(NOT_AUTOMATED).filter((id) => automated.has(id))).toEqual([]);
});
