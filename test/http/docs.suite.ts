import { readFileSync } from 'node:fs';
import type { OpenAPIObject } from '@nestjs/swagger';
import { projectPath } from '../../src/platform/project.js';
import {
  dereference,
  operationsIn,
  type DescribedOperation,
} from '../../src/pages/docs/described.js';
import { operationPage } from '../../src/pages/docs/operation.view.js';
import { validatorOf } from '../support/contract/validators.js';

const document = JSON.parse(
  readFileSync(projectPath('dist/openapi.json'), 'utf8'),
) as OpenAPIObject;
const OPERATIONS = operationsIn(document).map((it): [string, DescribedOperation] => [
  it.operationId,
  it,
]);

const pageOf = (id: string, domains = ['localhost']) => {
  const page = operationPage(document, id, domains);
  if (!page) throw new Error(`there is no page of "${id}"`);
  return page;
};
const pointerOf = ({ path, method }: DescribedOperation) =>
  `/paths/${path.replaceAll('/', '~1')}/${method.toLowerCase()}`;

describe('the pages of the API', () => {
  it.each(OPERATIONS)(
    'the page of %s shows a call that is valid by its schemas',
    (id, operation) => {
      const { request } = pageOf(id);
      const { parameters = [] } = operation;
      const sent = new Map(request.inputs.map((input) => [input.name, input.value]));
      const wrong = parameters.flatMap(({ name, required, schema }, place) => {
        const text = sent.get(name) ?? '';
        if (text === '') return required ? [`${name} is missing`] : [];
        const value = schema.type === 'number' ? Number(text) : text;
        return validatorOf(`${pointerOf(operation)}/parameters/${place}/schema`)(value) ?? [];
      });
      expect(wrong).toEqual([]);
      for (const { type, kind, value } of request.bodies) {
        const schema = `${pointerOf(operation)}/requestBody/content/${type.replace('/', '~1')}/schema`;
        const body: unknown = kind === 'json' ? JSON.parse(value) : { file: value };
        if (kind !== 'text') expect(validatorOf(schema)(body)).toBeUndefined();
      }
    },
  );

  it.each(OPERATIONS)('the page of %s shows the answers and each error code', (id, it) => {
    const { answers, refusals } = pageOf(id);
    expect(answers.length).toBeGreaterThan(0);
    for (const { others, shapes, example } of answers) {
      if (others.length === 0)
        expect([shapes.length > 0, example]).toEqual([true, expect.any(String)]);
    }
    const documented = Object.entries(it.responses)
      .filter(([status]) => !status.startsWith('2'))
      .flatMap(([status, response]) => {
        const { examples = {} } =
          dereference(document, response).content?.['application/json'] ?? {};
        return Object.keys(examples as object).map((code) => [status, code]);
      });
    const shown = refusals.map(({ status, code }) => [status, code === '–' ? 'no-account' : code]);
    expect(shown).toEqual(documented);
    expect(refusals.filter(({ text, example }) => !text || !example)).toEqual([]);
  });

  it('the page of manageUsers describes both shapes of its answer, with nested members', () => {
    const { answers } = pageOf('manageUsers');
    const shapes = answers.flatMap((answer) => answer.shapes);
    expect(shapes.map(({ title }) => title)).toEqual(['ListAnswer', 'ChangeAnswer']);
    expect(shapes[0]?.fields.map(({ name }) => name)).toContain('users[].credentials[].deviceName');
  });

  it('a page names relying parties only if the server lists them to strangers', () => {
    const values = (domains: string[]) =>
      pageOf('beginRegistration', domains)
        .request.inputs.filter(({ name }) => name === 'X-ServiceFido-RelyingParty')
        .map(({ value, likely }) => [value, likely]);
    expect(values(['shop.example', 'localhost'])).toEqual([
      ['shop.example', ['shop.example', 'localhost']],
    ]);
    expect(values([])).toEqual([['', undefined]]);
  });

  it('the page of changeTenant shows the same call with curl', () => {
    expect(pageOf('changeTenant').request.curl).toBe(
      [
        'curl -X PATCH "$SERVER/tenantapi/tenants/acme"',
        '-u admin',
        "-H 'Content-Type: application/json'",
        `-d '{"displayName":"Acme Corporation"}'`,
      ].join(' \\\n  '),
    );
  });

  it('an unknown operation has no page', () => {
    expect(operationPage(document, 'nothing', [])).toBeUndefined();
  });
});
