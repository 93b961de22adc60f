import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { PageCompletion } from '../../platform/pages/page.interceptor.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { userFacingFrame } from '../../platform/pages/page.view.js';

/** A page of the provider: what happened, or the question whether to sign out. */
type MessageKind = 'error' | 'signOut' | 'signedOut';

const TEMPLATE = 'oidc-message';

/** The pages that oidc-provider shows itself, in place of its own ones with inline styles and foreign fonts. */
@Injectable()
export class ProviderPages {
  constructor(
    private readonly pages: PageCompletion,
    private readonly relyingParties: RelyingPartyCache,
  ) {}

  /** @param word the error code (RFC 6749 §4.1.2.1) */
  error(domain: string, ctx: KoaContextWithOIDC, word: string): Promise<void> {
    return this.show(domain, ctx, 'error', { word, hasFailed: true });
  }

  /**
   * Asks whether to sign out.
   *
   * @param form an HTML form without buttons, which contains its token
   */
  signOut(domain: string, ctx: KoaContextWithOIDC, form: string): Promise<void> {
    return this.show(domain, ctx, 'signOut', { form });
  }

  signedOut(domain: string, ctx: KoaContextWithOIDC): Promise<void> {
    return this.show(domain, ctx, 'signedOut', {});
  }

  private async show(domain: string, ctx: KoaContextWithOIDC, kind: MessageKind, more: object) {
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
      request.app.render(TEMPLATE, model, (error, html) => (error ? reject(error) : resolve(html)));
    });
    ctx.type = 'html';
  }
}
