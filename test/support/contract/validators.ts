import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { projectPath } from '../../../src/platform/project.js';
import type { Document } from '../api/openapi.js';
import { closeAnswers } from './closed-answers.js';

/** The fault of a value, in words; `undefined` if it has none. */
type Validator = (value: unknown) => string | undefined;

const DOCUMENT = 'dist/openapi.json';
const validators = new Map<string, Validator>();
let ajv: Ajv2020 | undefined;

/** Contains all schemas of the document by name, those of answers closed; each is compiled on first use. */
function open(): Ajv2020 {
  const opened = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  formats.default(opened);
  opened.addFormat('binary', true);
  const document = JSON.parse(readFileSync(projectPath(DOCUMENT), 'utf8')) as Document;
  closeAnswers(document);
  return opened.addSchema(document, DOCUMENT);
}

/** The validator of the schema at this place of openapi.json: a JSON pointer. */
export function validatorOf(pointer: string): Validator {
  const known = validators.get(pointer);
  if (known) return known;
  const opened = (ajv ??= open());
  const validate = opened.compile({ $ref: `${DOCUMENT}#${pointer}` });
  const validator: Validator = (value) =>
    validate(value) ? undefined : opened.errorsText(validate.errors, { dataVar: 'body' });
  validators.set(pointer, validator);
  return validator;
}
