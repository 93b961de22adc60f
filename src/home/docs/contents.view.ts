import type { OpenAPIObject } from '@nestjs/swagger';
import type { PageView } from '../../platform/pages/page.view.js';
import { operationsIn } from './described.js';

/** The page that lists all operations, grouped by their readers. */
export function contentsPage(document: OpenAPIObject) {
  const operations = operationsIn(document);
  const page: PageView = {
    title: 'API',
    nav: { docs: true },
    styles: ['/static/css/docs.css'],
    scripts: ['/static/js/docs/find.js'],
  };
  return {
    ...page,
    readers: (document.tags ?? []).map(({ name, description }) => ({
      name,
      id: name.replaceAll(' ', '-'),
      description,
      operations: operations
        .filter(({ tags }) => tags.includes(name))
        .map((operation) => ({ ...operation, colour: operation.method.toLowerCase() })),
    })),
  };
}
