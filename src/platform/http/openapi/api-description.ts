import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { describeInterfaces } from './openapi-document.js';

/** The document in the form in which it is sent. */
interface DescriptionFile {
  readonly json: string;
  /** Entity tag, with which clients that have stored it ask whether it has changed (RFC 9110 §8.8.3). */
  readonly etag: string;
}

/**
 * The OpenAPI document of this server: it is made when first asked for, since most servers are never asked.
 */
@Injectable()
export class ApiDescription {
  private app: INestApplication | undefined;
  private document: Promise<OpenAPIObject> | undefined;
  private written: Promise<DescriptionFile> | undefined;

  /** Sets the application to describe, which its own providers cannot inject. */
  of(app: INestApplication): this {
    this.app = app;
    return this;
  }

  read(): Promise<OpenAPIObject> {
    if (!this.app) throw new Error('nobody has said which application is described');
    return (this.document ??= describeInterfaces(this.app));
  }

  /** The document as JSON of half a megabyte, which is written only once. */
  file(): Promise<DescriptionFile> {
    return (this.written ??= this.read().then((document) => {
      const json = JSON.stringify(document);
      return { json, etag: `"${createHash('sha256').update(json).digest('base64url')}"` };
    }));
  }
}
