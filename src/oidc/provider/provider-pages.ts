import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { PageCompletion } from '../../platform/pages/page.interceptor.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { userFacingFrame } from '../../platform/pages/page.view.js';

/** A page of the provider: what happened, or the question whether to sign out. */
type MessageKind = 'error' | 'signOut' | 'signedOut';

interface MessageParts {
  /** Of an error: its code (RFC 6749 §4.1.2.1). */
  readonly word?: string;
  readonly hasFailed?: true;
  /** Of the question: an HTML form without buttons, which contains its token. */
  readonly form?: string;
}

/** The pages that oidc-provider shows itself, in place of its own ones with inline styles and foreign fonts. */
@Injectable()
export class ProviderPages {
  constructor(
    private readonly pages: PageCompletion,
    private readonly relyingParties: RelyingPartyCache,
  ) {}

  async show(domain: string, ctx: KoaContextWithOIDC, kind: MessageKind, more: MessageParts = {}) {
    const request = ctx.req as Request;
    const rp = this.relyingParties.current.find(domain);
    const view = {
      ...userFacingFrame(phrase(`oidc:${kind}.title`), rp),
      heading: phrase(`oidc:${kind}.heading`, { name: rp?.name ?? domain }),
      text: phrase(`oidc:${kind}.text`),
      ...more,
    };
    const model = await this.pages.complete(request, () => view);
    ctx.body = await new Promise<string>((resolve, reject) => {
      request.app.render('oidc-message', model, (error, html) =>
        error ? reject(error) : resolve(html),
      );
    });
    ctx.type = 'html';
  }
}
