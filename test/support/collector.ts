import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { listen } from './listen.js';

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number };
}

/** A span as OTLP in JSON has it. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly Attribute[];
}

interface Batch {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

/** A collector of OpenTelemetry: a real HTTP server that keeps the spans that it receives. */
export class Collector {
  readonly spans: Span[] = [];
  url = '';
  private readonly server = createServer((request, response) => {
    void json(request).then((body) => {
      if (request.url === '/v1/traces') this.spans.push(...spansOf(body as Batch));
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
  });

  async start(): Promise<this> {
    this.url = `http://127.0.0.1:${await listen(this.server)}`;
    return this;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  ofTrace(traceId: string): Span[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }
}

const spansOf = ({ resourceSpans }: Batch): Span[] =>
  resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));

/** An attribute of a span, as text. */
export function attributeOf({ attributes }: Span, name: string): string | undefined {
  const value = attributes.find(({ key }) => key === name)?.value;
  return value && String(value.stringValue ?? value.intValue);
}
