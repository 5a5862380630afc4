/** The changes that editors send, as operations of a JSON Patch. */

export type PatchOperation =
  | { readonly op: 'add'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/** Sets a text, or takes it away when it is empty. Nothing is sent when the text is there already. */
export const patchText = (path: string, present: string | undefined, text: string): readonly PatchOperation[] => {
  if (text === (present ?? '')) return [];
  return text === '' ? [{ op: 'remove', path }] : [{ op: 'add', path, value: text }];
};

export type ListEdit<T> = {
  readonly start: readonly T[];
  readonly value: readonly T[];
  readonly present: readonly T[];
};

/**
 * What a list is after an edit: what was added and removed since the editor was opened, applied to the list as it is now.
 * What somebody else added meanwhile stays.
 */
const applyListEdit = <T>({ start, value, present }: ListEdit<T>, keyOf: (one: T) => string): readonly T[] => {
  const [before, after] = [new Set(start.map(keyOf)), new Set(value.map(keyOf))];
  const stays = present.filter((one) => after.has(keyOf(one)) || !before.has(keyOf(one)));
  const there = new Set(stays.map(keyOf));
  return [...stays, ...value.filter((one) => !before.has(keyOf(one)) && !there.has(keyOf(one)))];
};

/** Puts a list in its place, unless it has the same items already. */
export const patchList = <T>(path: string, edit: ListEdit<T>, keyOf: (one: T) => string): readonly PatchOperation[] => {
  const list = applyListEdit(edit, keyOf);
  const keys = (items: readonly T[]): string => items.map(keyOf).sort().join('\n');
  return keys(list) === keys(edit.present) ? [] : [{ op: 'add', path, value: list }];
};
