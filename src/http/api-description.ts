import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { describeInterfaces } from './openapi-document.js';

/** The document as it is sent. */
interface DescriptionFile {
  readonly json: Buffer;
  /** By which whoever keeps it asks whether it is still this one (RFC 9110 §8.8.3). */
  readonly etag: string;
}

/** The OpenAPI document of this server: made when it is first asked for, since most never are. */
@Injectable()
export class ApiDescription {
  private app: INestApplication | undefined;
  private document: Promise<OpenAPIObject> | undefined;
  private written: Promise<DescriptionFile> | undefined;

  /** Says which application it describes, which no provider of that application can know. */
  of(app: INestApplication): this {
    this.app = app;
    return this;
  }

  read(): Promise<OpenAPIObject> {
    if (!this.app) throw new Error('nobody has said which application is described');
    return (this.document ??= describeInterfaces(this.app));
  }

  /** Written once: half a megabyte, for everybody who asks. */
  file(): Promise<DescriptionFile> {
    return (this.written ??= this.read().then((document) => {
      const json = Buffer.from(JSON.stringify(document));
      return { json, etag: `"${createHash('sha256').update(json).digest('base64url')}"` };
    }));
  }
}
