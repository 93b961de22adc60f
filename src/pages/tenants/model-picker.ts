import type { FoundModel, FoundModels, ModelSearch } from '../../trust/model-search.js';

/** Members of the policy whose values are models. */
export const PICKED: readonly string[] = ['block', 'allow'];

/** The names of the fields that hold what is looked for, and the models that are ticked of what was found. */
export const findField = (name: string): string => `${name}.find`;
export const addField = (name: string): string => `${name}.add`;

/** How models are picked by their names, beside the AAGUIDs. */
export interface PickerView {
  readonly find: string;
  readonly add: string;
  /** Those whose AAGUIDs are entered, as far as they are known. */
  readonly chosen: readonly FoundModel[];
  /** What was looked for, and what is called so and not chosen. */
  readonly found: (FoundModels & { readonly text: string }) | undefined;
}

/** @param text what is looked for; empty where nothing is */
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
