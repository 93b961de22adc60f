import { SchemaComparison } from './schema-comparison.js';
import type { Document, Operation, Parameter, Reference, Response } from './openapi.js';

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'];

/**
 * Returns a sentence for each way in which a program for the first OpenAPI document fails with the second. Additions
 * are no breaks: paths, optional parameters and members of a request, members of an answer, values where an answer
 * already had several, and error codes.
 */
export function breakingChanges(before: Document, now: Document): string[] {
  const found: string[] = [];
  const schemas = new SchemaComparison(before, now);
  const report = (place: string, differences: readonly string[]) =>
    found.push(...differences.map((difference) => `${place}${difference}`));
  for (const [path, item] of Object.entries(before.paths)) {
    for (const method of METHODS.filter((name) => item[name])) {
      const place = `${method.toUpperCase()} ${path}`;
      const old = item[method];
      const present = now.paths[path]?.[method];
      if (!present) found.push(`${place} is gone`);
      else if (old) compareOperations(place, old, present);
    }
  }
  return found;

  function compareOperations(place: string, old: Operation, present: Operation): void {
    if (JSON.stringify(present.security ?? []) !== JSON.stringify(old.security ?? [])) {
      const admitted = (present.security ?? [{}]).map((way) => JSON.stringify(way));
      const lost = (old.security ?? [{}]).filter((way) => !admitted.includes(JSON.stringify(way)));
      if (lost.length > 0) found.push(`${place} no longer admits ${JSON.stringify(lost)}`);
    }
    compareParameters(place, old.parameters ?? [], present.parameters ?? []);
    compareBodies(place, old, present);
    for (const [status, response] of Object.entries(old.responses)) {
      const other = present.responses[status];
      if (!other) found.push(`${place} no longer answers ${status}`);
      else compareResponses(`${place} ${status}`, response, other);
    }
  }

  function compareParameters(
    place: string,
    old: readonly Parameter[],
    present: readonly Parameter[],
  ): void {
    const same = (one: Parameter) => (other: Parameter) =>
      other.in === one.in && other.name.toLowerCase() === one.name.toLowerCase();
    for (const parameter of old) {
      const other = present.find(same(parameter));
      if (!other) found.push(`${place}: parameter ${parameter.name} is gone`);
      else
        report(
          `${place} ${other.name}`,
          schemas.differences(parameter.schema, other.schema, 'request'),
        );
    }
    for (const parameter of present) {
      const wasRequired = old.find(same(parameter))?.required ?? false;
      if (parameter.required && !wasRequired) {
        found.push(`${place}: parameter ${parameter.name} is required now`);
      }
    }
  }

  function compareBodies(place: string, old: Operation, present: Operation): void {
    if (present.requestBody?.required && !old.requestBody?.required) {
      found.push(`${place}: a body is required now`);
    }
    for (const [type, { schema }] of Object.entries(old.requestBody?.content ?? {})) {
      const other = present.requestBody?.content[type];
      if (!other) found.push(`${place} no longer takes ${type}`);
      else report(place, schemas.differences(schema, other.schema, 'request'));
    }
  }

  function compareResponses(
    place: string,
    old: Reference | Response,
    present: Reference | Response,
  ): void {
    const was = schemas.before.resolve(old);
    const is = schemas.now.resolve(present);
    for (const name of Object.keys(was.headers ?? {})) {
      if (!is.headers?.[name]) found.push(`${place}: header ${name} is gone`);
    }
    for (const [type, { schema, examples }] of Object.entries(was.content ?? {})) {
      const other = is.content?.[type];
      if (!other) {
        found.push(`${place} no longer has ${type}`);
        continue;
      }
      const codes = schemas.now.errorCodes(other.schema);
      for (const code of schemas.before.errorCodes(schema)) {
        // Where a refusal has a class of its own, the schema of 1.0 allows every code; the examples are the real ones.
        const isReal = !examples || String(code) in examples;
        if (isReal && !codes.has(code)) found.push(`${place} no longer has ${code}`);
      }
      const isRefusal = !/ [23]\d\d$/.test(place);
      report(place, schemas.differences(schema, other.schema, isRefusal ? 'refusal' : 'answer'));
    }
  }
}
