import type { Request } from 'express';
import { ApiError } from '../errors/api-error.js';
import { completePage } from '../presentation/page.js';
import type { PageView } from '../presentation/page.view.js';
import type { Faults, SentForm } from '../validation/form.pipe.js';

interface FormPage {
  readonly template: string;
  view(sent: Pick<SentForm, 'fields' | 'faults'>): Promise<PageView>;
}

/** A form, the browser that sent it, and the page that is shown again if something is wrong with it. */
export interface Submission {
  readonly browser: Request;
  readonly form: Pick<SentForm, 'fields' | 'faults'>;
  readonly page: FormPage;
  /** The field beside which a refusal of the change is shown. */
  readonly field: string;
}

/**
 * Makes the change that a form asks for, unless the form itself is wrong.
 *
 * @throws ApiError E0045R with the page, for a wrong form or a refused change; else what the change throws
 */
export async function submitted<T>(
  { browser, form, page, field }: Submission,
  change: () => Promise<T>,
): Promise<T> {
  const refused = async (faults: Faults) => {
    const model = completePage(await page.view({ fields: form.fields, faults }), browser);
    const [sentence] = Object.values(faults);
    return new ApiError('E0045R', sentence, { page: { template: page.template, model } });
  };
  if (Object.keys(form.faults).length > 0) throw await refused(form.faults);
  try {
    return await change();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'E0045R') throw error;
    throw await refused({ [field]: error.message });
  }
}
