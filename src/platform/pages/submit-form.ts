import type { Request } from 'express';
import type { Account } from '../access/accounts/account.js';
import { ApiError } from '../errors/api-error.js';
import type { Faults, SentForm } from '../validation/dto.pipe.js';
import { completePage, type PageView } from './page.view.js';

export interface RefusedForm extends Pick<SentForm, 'fields' | 'faults'> {
  /** Whether others have changed what it showed: the form itself has no mistakes then. */
  readonly isStale?: boolean;
}

/** The account that opens a page, and the form that it sent there, if the form is shown again. */
export interface PageVisit {
  readonly account: Account;
  readonly sent?: RefusedForm;
}

export interface FormSubmission {
  readonly request: Request;
  readonly form: RefusedForm;
  /** Shown again, with the typed values, if the form has mistakes. */
  readonly page: { readonly template: string; view(sent: RefusedForm): Promise<PageView> };
  /** The field beside which a refusal of the change is shown, if the refusal names none itself. */
  readonly field?: string | undefined;
}

/**
 * Makes the change of a form that has no mistakes.
 *
 * @returns the result of the change
 * @throws ApiError E0045R, E0053R and errors that name a field, with the page; other errors of the change unchanged
 */
export async function submitForm<T>(
  { request, form: { fields, faults }, page, field }: FormSubmission,
  change: () => Promise<T>,
): Promise<T> {
  const refused = async (
    sent: RefusedForm,
    { code, problem }: Pick<ApiError, 'code' | 'problem'>,
  ) =>
    ApiError.of(code ?? 'E0045R', problem, {
      page: { template: page.template, model: completePage(await page.view(sent), request) },
    });
  const [first] = Object.values(faults);
  if (first) throw await refused({ fields, faults }, { code: 'E0045R', problem: first });
  try {
    return await change();
  } catch (error) {
    if (!(error instanceof ApiError) || error.page) throw error;
    const isStale = error.code === 'E0053R';
    // A deletion leads back to its page; the form shows what others have changed, if it knows.
    if (isStale && 'confirm' in fields) throw error;
    if (isStale && 'base' in fields) throw await refused({ fields, faults, isStale }, error);
    const isFault = error.code === 'E0045R' || isStale || error.field !== undefined;
    if (field === undefined || !isFault) throw error;
    const fault: Faults = { [error.field ?? field]: error.problem };
    throw await refused({ fields, faults: fault }, error);
  }
}
