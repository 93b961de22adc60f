import type { FoundModel, FoundModels, ModelSearch } from '../../trust/model-search.js';

/** Members of the policy whose values are models. */
export const PICKED: readonly string[] = ['block', 'allow'];

/** The names of the fields for the search text and for the models that were ticked. */
export const findField = (name: string): string => `${name}.find`;
export const addField = (name: string): string => `${name}.add`;

/** A picker of models by their names, beside the field for AAGUIDs. */
export interface PickerView {
  readonly find: string;
  readonly add: string;
  /** Known models whose AAGUIDs have been entered. */
  readonly chosen: readonly FoundModel[];
  /** The search text, and the models found that are not chosen yet. */
  readonly found: (FoundModels & { readonly text: string }) | undefined;
}

/** @param text the search text; may be empty */
export function pickerOf(
  search: ModelSearch,
  name: string,
  { values, text }: { readonly values: readonly string[]; readonly text: string },
): PickerView {
  const entered = values.map((value) => value.toLowerCase());
  const { models, more } = search.find(text);
  const found = {
    text,
    more,
    models: models.filter(({ aaguid }) => !entered.includes(aaguid)),
  };
  return {
    find: findField(name),
    add: addField(name),
    chosen: search.of(entered),
    found: text === '' ? undefined : found,
  };
}
