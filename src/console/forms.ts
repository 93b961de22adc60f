import type { Request } from 'express';
import { createParamDecorator } from '@nestjs/common';
import type { ExecutionContext } from '@nestjs/common';
import type { Problem } from '../platform/errors/reasons.js';
import { ApiError } from '../platform/errors/api-error.js';
import type { Code } from '../platform/errors/catalogue.js';
import { completePage } from '../platform/pages/page.js';
import type { PageView } from '../platform/pages/page.view.js';
import type { Faults, SentForm } from '../platform/validation/form.pipe.js';

/** The request, for handlers that read and write the cookie of its browser's session. */
export const CurrentBrowser = createParamDecorator((_: unknown, context: ExecutionContext) =>
  context.switchToHttp().getRequest<Request>(),
);

interface FormPage {
  readonly template: string;
  view(sent: Pick<SentForm, 'fields' | 'faults'>): Promise<PageView>;
}

/** A form, the browser that sent it, and the page that is shown again if something is wrong with it. */
interface Submission {
  readonly browser: Request;
  readonly form: Pick<SentForm, 'fields' | 'faults'>;
  readonly page: FormPage;
  /** The field beside which a refusal of the change is shown. */
  readonly field: string;
}

/**
 * Makes the change that a form asks for, unless the form itself is wrong.
 *
 * @throws ApiError E0045R or E0053R with the page, for a wrong form or a refused change; else what the change throws
 */
export async function submitted<T>(
  { browser, form, page, field }: Submission,
  change: () => Promise<T>,
): Promise<T> {
  const refused = async (first: Problem, faults: Faults, code: Code = 'E0045R') => {
    const model = completePage(await page.view({ fields: form.fields, faults }), browser);
    return ApiError.of(code, first, { page: { template: page.template, model } });
  };
  const [first] = Object.values(form.faults);
  if (first) throw await refused(first, form.faults);
  try {
    return await change();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code !== 'E0045R' && error.code !== 'E0053R') throw error;
    throw await refused(error.problem, { [field]: error.problem }, error.code);
  }
}
