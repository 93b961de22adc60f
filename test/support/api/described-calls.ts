import { readFileSync } from 'node:fs';
import { projectPath } from '../../../src/platform/project.js';

/** An operation of the OpenAPI document, with the examples of its calls. */
interface DescribedOperation {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly example?: unknown;
  }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly example?: unknown }>>;
  };
  readonly responses: Readonly<Record<string, unknown>>;
}

export interface DescribedCall extends DescribedOperation {
  readonly method: string;
  readonly path: string;
}

const { paths } = JSON.parse(readFileSync(projectPath('dist/openapi.json'), 'utf8')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
};

/** All calls of the OpenAPI document that the build has written. */
export const DESCRIBED_CALLS: readonly DescribedCall[] = Object.entries(paths).flatMap(
  ([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
);
