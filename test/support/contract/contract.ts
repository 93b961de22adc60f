import { readFileSync } from 'node:fs';
import { projectPath } from '../../../src/platform/project.js';
import { validatorOf } from './validators.js';

/** The part of an answer that openapi.json describes. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
  readonly text: string;
}

interface Described {
  readonly responses: Readonly<
    Record<string, { readonly $ref?: string; readonly content?: Readonly<Record<string, unknown>> }>
  >;
}

interface Route {
  /** Where the operation stands in the document, as a JSON pointer. */
  readonly pointer: string;
  readonly method: string;
  readonly path: RegExp;
  readonly operation: Described;
}

const JSON_TYPE = 'application/json';

const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');

let routes: readonly Route[] | undefined;

function routesOf(): readonly Route[] {
  const { paths } = JSON.parse(readFileSync(projectPath('dist/openapi.json'), 'utf8')) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  };
  return Object.entries(paths)
    .sort(([a], [b]) => a.split('{').length - b.split('{').length)
    .flatMap(([template, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        pointer: `/paths/${escaped(template)}/${method}`,
        method: method.toUpperCase(),
        path: new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
        operation,
      })),
    );
}

/**
 * Checks an answer against openapi.json: its operation must name the status, and a JSON body must match the schema.
 * Answers of pages, which the document does not describe, pass.
 *
 * @throws Error that names the operation and what is wrong
 */
export function holdToContract(method: string, address: string, answered: Answered): void {
  const [path = ''] = address.split('?');
  const route = (routes ??= routesOf()).find((it) => it.method === method && it.path.test(path));
  if (!route) return;
  const { status, headers, body, text } = answered;
  const type = headers.get('content-type')?.split(';')[0] ?? '';
  if (type !== JSON_TYPE && status >= 300) return;
  const said = route.operation.responses[status];
  const pointer = said?.$ref?.slice(1) ?? `${route.pointer}/responses/${status}`;
  const wrong = said
    ? contentFault({ pointer, content: said.content, type, body })
    : 'it does not name this status';
  if (wrong === undefined) return;
  throw new Error(
    `openapi.json says otherwise (\`npm run openapi\` writes it): ${method} ${path} answered ` +
      `${status}: ${wrong}\n${text.slice(0, 2000)}`,
  );
}

interface Given {
  readonly pointer: string;
  /** By media type; `undefined` of a response that stands elsewhere, which is JSON. */
  readonly content: Readonly<Record<string, unknown>> | undefined;
  readonly type: string;
  readonly body: unknown;
}

function contentFault({ pointer, content, type, body }: Given): string | undefined {
  if (content && !(type in content)) return `it does not name the type "${type}"`;
  if (type !== JSON_TYPE) return undefined;
  return validatorOf(`${pointer}/content/${escaped(JSON_TYPE)}/schema`)(body);
}
